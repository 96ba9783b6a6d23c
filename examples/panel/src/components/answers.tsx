import {
  Badge,
  Box,
  H3,
  Link as PlainLink,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  Text,
} from '@adminjs/design-system';
import type { ShowPropertyProps } from 'adminjs';
import React, { type ReactNode } from 'react';
import { timeOf } from './times.ts';

export interface AnswersOfSubmission {
  /** A sentence about the versions in which the submission was begun and completed. */
  readonly versions: string;
  /** The language that the answers were given in. Null: not said. */
  readonly language: string | null;
  /** When personal answers were first deleted. Null: never. */
  readonly anonymizedAt: string | null;
  readonly steps: readonly StepAnswers[];
  readonly groups: readonly AnswerGroup[];
}

export interface StepAnswers {
  readonly title: string;
  readonly answers: readonly Answer[];
}

/** The answers in the records of an entity. */
export interface AnswerGroup {
  readonly title: string;
  readonly questions: readonly Question[];
  /** The answers of each record to the questions, in the same order. */
  readonly records: readonly (readonly (Answer | null)[])[];
}

export interface Question {
  readonly code: string;
  readonly label: string;
  /** Whether the field was not in the version of the form that the page shows. */
  readonly isRetired: boolean;
  /** Whether its answers are personal data. */
  readonly isPersonal: boolean;
}

export interface Answer extends Question {
  /** The value, with the labels of chosen options. */
  readonly value: string;
  readonly file: AnsweredFile | null;
  /** Whether the field was hidden when the submission was completed. */
  readonly isHidden: boolean;
  /** Whether there is no answer in a submission whose personal answers were deleted. */
  readonly isDeleted: boolean;
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
  const { versions, language, anonymizedAt, steps, groups } = JSON.parse(
    String(record.params['answers']),
  ) as AnswersOfSubmission;
  return (
    <>
      <Text mb="xl">
        {versions}
        {language !== null && ` The answers were given in ${language}.`}
      </Text>
      {anonymizedAt !== null && (
        <Text mb="xl">
          Personal answers were deleted on {timeOf(anonymizedAt)}. A question that says “deleted” may also
          never have been answered.
        </Text>
      )}
      {steps.length + groups.length === 0 && <Text mb="xl">There are no answers yet.</Text>}
      {steps.map(({ title, answers }, index) => (
        <Answered key={index} title={title} number={index + 1} columns={2}>
          <TableBody>
            {answers.map((answer) => (
              <TableRow key={answer.code}>
                <TableCell width={1 / 3} style={LABEL}>
                  <QuestionLabel {...answer} />
                </TableCell>
                <TableCell style={WRAPPED}>
                  <AnswerValue {...answer} />
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Answered>
      ))}
      {groups.map((group, index) => (
        <Group key={index} {...group} number={steps.length + index + 1} />
      ))}
    </>
  );
}

/** One row for each record, and a column for each field that has an answer. */
function Group({ title, questions, records, number }: AnswerGroup & { readonly number: number }) {
  return (
    <Answered title={title} number={number} columns={questions.length + 1}>
      <TableBody>
        <TableRow>
          <TableCell as="th" scope="col" style={HEAD}>
            No.
          </TableCell>
          {questions.map((question) => (
            <TableCell as="th" scope="col" key={question.code} style={HEAD}>
              <QuestionLabel {...question} />
            </TableCell>
          ))}
        </TableRow>
        {records.map((answers, index) => (
          <TableRow key={index}>
            <TableCell as="th" scope="row" style={HEAD}>
              {index + 1}
            </TableCell>
            {answers.map((answer, column) => (
              <TableCell key={column} style={WRAPPED}>
                {answer && <AnswerValue {...answer} />}
              </TableCell>
            ))}
          </TableRow>
        ))}
      </TableBody>
    </Answered>
  );
}

interface AnsweredProps {
  readonly title: string;
  readonly number: number;
  readonly columns: number;
  readonly children: ReactNode;
}

/** A table of answers. A narrow screen scrolls it. */
function Answered({ title, number, columns, children }: AnsweredProps) {
  return (
    <Box
      mb="xl"
      data-testid={`answers-${number}`}
      role="group"
      aria-label={title}
      tabIndex={0}
      style={{ overflowX: 'auto' }}
    >
      <Table>
        <TableHead>
          <TableRow>
            <TableCell colSpan={columns}>
              <H3 as="h3" fontSize="h4" marginTop={0} marginBottom={0}>
                <bdi>{title}</bdi>
              </H3>
            </TableCell>
          </TableRow>
        </TableHead>
        {children}
      </Table>
    </Box>
  );
}

const LABEL = { minWidth: 120, verticalAlign: 'top' } as const;
/** Wide enough for a date. */
const WRAPPED = {
  minWidth: 120,
  verticalAlign: 'top',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
} as const;
const HEAD = { minWidth: 60, verticalAlign: 'top', textAlign: 'left', fontWeight: 'bold' } as const;

function QuestionLabel({ label, isRetired, isPersonal }: Question) {
  return (
    <>
      <bdi>{label}</bdi> {isRetired && <Badge size="sm">retired</Badge>}
      {isPersonal && <Badge size="sm">personal</Badge>}
    </>
  );
}

function AnswerValue({ isHidden, isDeleted, ...answer }: Answer) {
  if (isDeleted)
    return (
      <Text as="span" color="grey60">
        deleted
      </Text>
    );
  return (
    <>
      <Content {...answer} />
      {isHidden && [
        ' ',
        <Badge key="hidden" size="sm">
          hidden at completion
        </Badge>,
      ]}
    </>
  );
}

function Content({ value, file }: Pick<Answer, 'value' | 'file'>) {
  if (file === null) return <bdi>{value}</bdi>;
  const { name, href, note } = file;
  if (href !== null) return <PlainLink href={href}>{name}</PlainLink>;
  return (
    <>
      {name} <Text color="grey60">{note}</Text>
    </>
  );
}
