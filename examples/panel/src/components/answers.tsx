import { Box, H5, Table, TableBody, TableCell, TableHead, TableRow, Text } from '@adminjs/design-system';
import type { ShowPropertyProps } from 'adminjs';
import React from 'react';

export interface Answer {
  readonly label: string;
  readonly code: string;
  /** Title of the step, or name and number of the record. */
  readonly group: string;
  readonly value: string;
}

/** Shows the values of a submission with the labels of their fields. */
export default function Answers({ record }: ShowPropertyProps) {
  const answers = JSON.parse(String(record.params['answers'])) as Answer[];
  const groups = [...new Set(answers.map(({ group }) => group))];
  if (answers.length === 0) return <Text mb="xl">There are no answers yet.</Text>;
  return (
    <>
      {groups.map((group) => (
        <Box key={group} mb="xl">
          <Table>
            <TableHead>
              <TableRow>
                <TableCell colSpan={2}>
                  <H5 as="h3" m="0">
                    {group}
                  </H5>
                </TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {answers
                .filter((answer) => answer.group === group)
                .map(({ code, label, value }) => (
                  <TableRow key={code}>
                    <TableCell width={1 / 3}>{label}</TableCell>
                    <TableCell style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                      {value}
                    </TableCell>
                  </TableRow>
                ))}
            </TableBody>
          </Table>
        </Box>
      ))}
    </>
  );
}
