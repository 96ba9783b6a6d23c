import { ApiClient, useNotice } from 'adminjs';
import { type DragEvent, useLayoutEffect, useRef, useState } from 'react';
import { arranged, isSameArrangement, neighbour, type Part, type Place } from './arrangement.ts';
import type { Arrangement, FormOutlineJson, StepJson } from './form-outline-json.ts';
import { loadOutline, outlineIn } from './load-outline.ts';

/** Positions for a part that is dropped on the upper or the lower half of an element. */
type Halves = readonly [upper: Place, lower: Place];
type Direction = 'up' | 'down';

export type Arranging = ReturnType<typeof useArranging>;

/** Moves steps and fields of a form by dragging or with buttons. Each move is one request. */
export function useArranging(outline: FormOutlineJson, onChange: (outline: FormOutlineJson) => void) {
  const [dragged, setDragged] = useState<Part>();
  const [place, setPlace] = useState<Place>();
  const [announcement, setAnnouncement] = useState('');
  const isSaving = useRef(false);
  const pressed = useRef<readonly [Part, Direction]>();
  const notify = useNotice();

  // A button loses the focus when it moves with its part. At the end of the form, only its opposite is left.
  useLayoutEffect(() => {
    if (pressed.current === undefined) return;
    const [part, direction] = pressed.current;
    pressed.current = undefined;
    const button = (direction: Direction) =>
      document.querySelector<HTMLElement>(`#${moveButtonsId(part)}-${direction}:enabled`);
    (button(direction) ?? button(direction === 'up' ? 'down' : 'up'))?.focus();
  }, [outline.steps]);

  const move = async (part: Part, to: Place | undefined) => {
    const steps = to === undefined ? outline.steps : arranged(outline.steps, part, to);
    if (isSaving.current || isSameArrangement(steps, outline.steps)) return;
    isSaving.current = true;
    onChange({ ...outline, steps });
    try {
      onChange(await save(outline, steps));
      setAnnouncement(positionOf({ ...outline, steps }, part));
    } catch (error) {
      notify({ message: messageOf(error), type: 'error' });
      onChange(await loadOutline(outline.id).catch(() => outline));
    } finally {
      isSaving.current = false;
    }
  };

  const end = () => {
    setDragged(undefined);
    setPlace(undefined);
  };

  return {
    announcement,
    moveBeside: (part: Part, direction: Direction) => {
      if (!isSaving.current) pressed.current = [part, direction];
      void move(part, neighbour(outline.steps, part, direction));
    },
    canMove: (part: Part, direction: Direction) => neighbour(outline.steps, part, direction) !== undefined,
    /** Whether a part of this kind would be dropped here. */
    isTarget: (kind: Part['kind'], target: Place) =>
      dragged?.kind === kind && JSON.stringify(place) === JSON.stringify(target),
    handle: (part: Part) => ({
      draggable: true,
      onDragStart: (event: DragEvent<HTMLElement>) => {
        // Firefox drags nothing without data.
        event.dataTransfer.setData('text/plain', '');
        event.dataTransfer.effectAllowed = 'move';
        const row = event.currentTarget.closest('[data-part]');
        if (row !== null) event.dataTransfer.setDragImage(row, 0, 0);
        setDragged(part);
      },
      onDragEnd: end,
    }),
    dropTarget: (places: Partial<Record<Part['kind'], Halves>>) => ({
      onDragOver: (event: DragEvent<HTMLElement>) => {
        const halves = dragged && places[dragged.kind];
        if (halves === undefined) return;
        // Tells the browser that the part can be dropped here.
        event.preventDefault();
        event.stopPropagation();
        const { top, height } = event.currentTarget.getBoundingClientRect();
        setPlace(halves[event.clientY < top + height / 2 ? 0 : 1]);
      },
      onDrop: (event: DragEvent<HTMLElement>) => {
        if (dragged === undefined || places[dragged.kind] === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        void move(dragged, place);
        end();
      },
    }),
  };
}

/** The part of the ids of both buttons that move a step or a field. */
export const moveButtonsId = ({ kind, id }: Part) => `move-${kind}-${id}`;

async function save({ id, version }: FormOutlineJson, steps: readonly StepJson[]): Promise<FormOutlineJson> {
  const data: Arrangement = {
    version,
    steps: steps.map(({ id, fields }) => ({
      id,
      fields: fields.map(({ id, entityId }) => ({ id, entityId })),
    })),
  };
  const action = { resourceId: 'forms', recordId: String(id), actionName: 'arrange' };
  const response = await new ApiClient().recordAction({ ...action, method: 'post', data });
  return outlineIn(response.data.record);
}

function messageOf(error: unknown): string {
  const { response } = error as {
    readonly response?: { readonly status: number; readonly data: { readonly message: string } };
  };
  return response?.status === 409
    ? response.data.message
    : 'The change failed. Reload the page, and try again.';
}

/** A sentence for screen readers. */
function positionOf({ steps, entities }: FormOutlineJson, { kind, id }: Part): string {
  const index = steps.findIndex((step) =>
    kind === 'step' ? step.id === id : step.fields.some((field) => field.id === id),
  );
  const step = steps[index];
  if (step === undefined) return '';
  if (kind === 'step') return `“${step.title}” is now step ${index + 1} of ${steps.length}.`;
  const position = step.fields.findIndex((field) => field.id === id);
  const { label = '', code = '', entityId = null } = step.fields[position] ?? {};
  const group = entities.find((entity) => entity.id === entityId);
  const place = `field ${position + 1} of ${step.fields.length} in “${step.title}”`;
  return `“${label || code}” is now ${place}${group ? `, and in the group “${group.label}”` : ''}.`;
}
