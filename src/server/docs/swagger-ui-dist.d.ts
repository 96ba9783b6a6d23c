declare module 'swagger-ui-dist/absolute-path.js' {
  /** The directory of Swagger UI's built files. */
  export default function getAbsoluteFSPath(): string;
}
