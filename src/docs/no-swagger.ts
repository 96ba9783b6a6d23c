/**
 * Decorators that do nothing. `#swagger` resolves to them (package.json, `imports`) unless the OpenAPI document is being built.
 * Loading `@nestjs/swagger` instead would take 0.2 seconds and 11 MB at each start (ADR 5).
 */
const nothing = () => () => undefined;

export {
  nothing as ApiBearerAuth,
  nothing as ApiBody,
  nothing as ApiExcludeController,
  nothing as ApiExtraModels,
  nothing as ApiHeader,
  nothing as ApiOperation,
  nothing as ApiParam,
  nothing as ApiProperty,
  nothing as ApiResponse,
  nothing as ApiSchema,
  nothing as ApiTags,
  nothing as getSchemaPath,
};
