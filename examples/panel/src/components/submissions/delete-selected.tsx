import { Box, Button, Text } from '@adminjs/design-system';
import { ApiClient, useNotice } from 'adminjs';
import React, { useEffect, useRef, useState } from 'react';

interface DeleteSelectedProps {
  readonly uuids: readonly string[];
  readonly onDeleted: () => void;
}

/** Deletes the selected submissions after a question. */
export function DeleteSelected({ uuids, onDeleted }: DeleteSelectedProps) {
  const [isAsking, setAsking] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const notify = useNotice();
  useEffect(() => {
    if (isAsking) dialog.current?.showModal();
  }, [isAsking]);
  const many = uuids.length === 1 ? 'one submission' : `${uuids.length} submissions`;

  const confirm = async () => {
    setDeleting(true);
    try {
      const { data } = await new ApiClient().bulkAction({
        ...{ resourceId: 'submissions', actionName: 'bulkDelete', method: 'post' },
        recordIds: [...uuids],
      });
      if (data.notice) notify(data.notice);
      onDeleted();
    } catch {
      notify({ message: 'Nothing was deleted. Reload the page, and try again.', type: 'error' });
    } finally {
      setDeleting(false);
      setAsking(false);
    }
  };

  return (
    <Box flex flexDirection="row" flexWrap="wrap" alignItems="center" mb="lg" style={{ gap: 16 }}>
      <Text role="status">{uuids.length} selected</Text>
      <Button variant="outlined" color="danger" onClick={() => setAsking(true)}>
        Delete {many}
      </Button>
      {isAsking && (
        <Box
          as="dialog"
          ref={dialog}
          bg="container"
          aria-label={`Delete ${many}`}
          onClose={() => setAsking(false)}
          style={DIALOG}
        >
          <Text mb="lg">Delete {many} with all answers and files? Only a backup can bring them back.</Text>
          <Box flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
            <Button
              variant="contained"
              color="danger"
              aria-disabled={isDeleting}
              onClick={() => void confirm()}
            >
              Delete for good
            </Button>
            <Button variant="outlined" onClick={() => dialog.current?.close()}>
              Keep them
            </Button>
          </Box>
        </Box>
      )}
    </Box>
  );
}

const DIALOG = { maxWidth: 'min(480px, 90vw)', padding: 24, border: '1px solid #75747C' } as const;
