import type { Block, Draft, Group, Question } from 'formtrail-session';
import { QuestionField } from '../fields/question';

/** Uploads files for a question, and resolves to those that exceed the number of entries. */
export type Attach = (question: Question, files: readonly File[]) => Promise<readonly File[]>;

interface BlockViewProps {
  readonly block: Exclude<Block, Group>;
  readonly draft: Draft;
  readonly takesSeveral: boolean;
  readonly onFiles: Attach;
  readonly onLeave: (key: string) => void;
}

/** A question, or a heading or paragraph of the form. */
export function BlockView({ block, draft, takesSeveral, onFiles, onLeave }: BlockViewProps) {
  if (block.kind === 'question') {
    const snapshot = draft.getSnapshot();
    const formChanged = 'formChanged' in snapshot ? snapshot.formChanged : undefined;
    return (
      <QuestionField
        question={block}
        isRetyped={formChanged?.retyped.includes(block.key) === true}
        onChange={(value) => draft.change(block.key, value)}
        onLeave={() => onLeave(block.key)}
        files={{
          takesSeveral,
          onFiles: (files) => onFiles(block, files),
          onCancel: () => draft.cancelUpload(block.key),
        }}
        onResolve={(choice) => draft.resolve(block.key, choice)}
      />
    );
  }
  const { label, description, field_type } = block.field;
  const isHeading = field_type.component === 'heading-display';
  return (
    <>
      {isHeading ? <h2>{label}</h2> : <p>{label}</p>}
      {description && <p class={isHeading ? undefined : 'description'}>{description}</p>}
    </>
  );
}
