declare const unknownComponent: unique symbol;

/**
 * A component of your own field types: any string except the built-in components. A `switch` over `field_type.component`
 * that has a case for each built-in component gets this type in its `default`. Render a plain text input there.
 * It can be compared with any string, such as the name of a component of your own.
 */
export type UnknownComponent = string & { readonly [unknownComponent]: true };
