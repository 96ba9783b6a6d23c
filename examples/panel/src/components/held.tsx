import { Badge, Box, Button, Icon, Label, Text } from '@adminjs/design-system';
import { type ShowPropertyProps, useTranslation } from 'adminjs';
import React, { useState } from 'react';
import { Failure } from './publishing/failure.tsx';
import { useFormAction } from './publishing/use-form-action.ts';

/** Says whether a submission is held, with a button to hold or to release it. */
export default function Held({ property, record }: ShowPropertyProps) {
  const { translateProperty } = useTranslation();
  const [isHeld, setHeld] = useState(record.params[property.path] === true);
  const { act, isBusy, failure } = useFormAction(record.id, 'submissions');
  const change = async () => {
    if (await act(isHeld ? 'release' : 'hold')) setHeld(!isHeld);
  };
  return (
    <Box mb="xl" role="group" aria-label={translateProperty(property.label, property.resourceId)}>
      <Label>{translateProperty(property.label, property.resourceId)}</Label>
      <Box flex flexDirection="row" flexWrap="wrap" alignItems="center" style={{ gap: 8 }}>
        {isHeld && <Badge size="sm">held</Badge>}
        <Text style={{ flex: '1 1 240px', maxWidth: 480 }}>
          {isHeld
            ? 'Nobody can delete this submission, or change its answers and files, until you release it.'
            : 'If you hold this submission, nobody can delete it or change its answers, and it stays when its time is over.'}
        </Text>
        <Button variant="outlined" aria-disabled={isBusy} onClick={() => void change()}>
          <Icon icon={isHeld ? 'Unlock' : 'Lock'} />
          {isHeld ? 'Release' : 'Hold'}
        </Button>
      </Box>
      <Failure message={failure} />
    </Box>
  );
}
