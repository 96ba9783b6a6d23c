import {
  Badge,
  Box,
  H5,
  Link as PlainLink,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  Text,
} from '@adminjs/design-system';
import type { ShowPropertyProps } from 'adminjs';
import React from 'react';

export interface AnswersOfSubmission {
  /** A sentence about the versions in which the submission was begun and completed. */
  readonly versions: string;
  readonly blocks: readonly AnswerBlock[];
}

/** The answers in a step or in a record. */
export interface AnswerBlock {
  /** Title of the step, or name and number of the record. */
  readonly title: string;
  readonly answers: readonly Answer[];
}

export interface Answer {
  readonly code: string;
  readonly label: string;
  /** The value, with the labels of chosen options. */
  readonly value: string;
  readonly file: AnsweredFile | null;
  /** Whether the field was not in the version of the form that the page shows. */
  readonly isRetired: boolean;
}

export interface AnsweredFile {
  readonly name: string;
  /** Address of the download, or null. */
  readonly href: string | null;
  /** Why there is no download. */
  readonly note: string | null;
}

/** Shows a submission with the labels that the person who completed it saw. */
export default function Answers({ record }: ShowPropertyProps) {
  const { versions, blocks } = JSON.parse(String(record.params['answers'])) as AnswersOfSubmission;
  return (
    <>
      <Text mb="xl">{versions}</Text>
      {blocks.length === 0 && <Text mb="xl">There are no answers yet.</Text>}
      {blocks.map(({ title, answers }, index) => (
        <Box key={index} mb="xl" data-testid={`answers-${index + 1}`}>
          <Table>
            <TableHead>
              <TableRow>
                <TableCell colSpan={2}>
                  <H5 as="h3" m="0">
                    {title}
                  </H5>
                </TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {answers.length === 0 && (
                <TableRow>
                  <TableCell colSpan={2}>No answers</TableCell>
                </TableRow>
              )}
              {answers.map((answer) => (
                <TableRow key={answer.code}>
                  <TableCell width={1 / 3}>
                    {answer.label} {answer.isRetired && <Badge size="sm">retired</Badge>}
                  </TableCell>
                  <TableCell style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                    {answer.file === null ? answer.value : <AnswerFile {...answer.file} />}
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

function AnswerFile({ name, href, note }: AnsweredFile) {
  if (href !== null) return <PlainLink href={href}>{name}</PlainLink>;
  return (
    <>
      {name} <Text color="grey60">{note}</Text>
    </>
  );
}
