const WORDS = ['north', 'east', 'south', 'west', 'centre'];
const ACTIONS = ['show', 'hide', 'require'];
const ANSWERS_PER_FORM = 4;

/** Returns a generator of pseudo-random integers from 0 to `limit - 1`, which are the same in every run. */
function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/**
 * Returns a form of `size` fields. Each field but the first has a condition on an earlier field. The values of the
 * fields are alternately words and numbers. `answers` are sets of values as the database returns them. Every field
 * has a value, because not all libraries support fields without a value.
 */
export function generateForm(size) {
  const next = numbers(size);
  const isNumber = (index) => index % 2 === 1;
  const fields = Array.from({ length: size }, (_, index) => ({
    id: index + 1,
    code: `field_${index + 1}`,
    isRequired: false,
    isNumber: isNumber(index),
    conditions: index === 0 ? [] : [condition(next(index), ACTIONS[index % ACTIONS.length])],
  }));
  function condition(on, action) {
    const [operator, value] = isNumber(on)
      ? [['greater_than', 'less_than'][next(2)], String(next(90))]
      : [
          ['equals', WORDS[next(5)]],
          ['not_equals', WORDS[next(5)]],
          ['in', `${WORDS[next(5)]}, ${WORDS[next(5)]}`],
        ][next(3)];
    return { dependsOnFieldId: on + 1, operator, value, action };
  }
  const answers = Array.from({ length: ANSWERS_PER_FORM }, () =>
    // A JSON round trip creates separate strings, as reading from the database does.
    JSON.parse(
      JSON.stringify(
        fields.map(({ id, isNumber }) => [id, null, isNumber ? String(next(90)) : WORDS[next(5)]]),
      ),
    ),
  );
  return { fields, answers };
}
