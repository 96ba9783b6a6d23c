declare const unknownComponent: unique symbol;

/**
 * The component of a field type that a form brought with it: any string that is not one of the components that every service
 * has. A `switch` over `field_type.component` that has a case for each of those leaves this in its `default`, which is where a
 * plain text input belongs. Comparing it with the name of a component of your own works as with any string.
 */
export type UnknownComponent = string & { readonly [unknownComponent]: true };
