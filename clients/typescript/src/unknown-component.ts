declare const unknownComponent: unique symbol;

/**
 * A component that a form defines itself: any string except the components that every service has. A `switch` over
 * `field_type.component` with a case for each of those leaves this type in its `default`; render a plain text input there.
 * It can be compared with any string, such as the name of a component of your own.
 */
export type UnknownComponent = string & { readonly [unknownComponent]: true };
