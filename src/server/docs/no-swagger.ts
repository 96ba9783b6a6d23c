/** `#swagger` (package.json) without `--conditions=openapi`, because `@nestjs/swagger` slows each start by a third (ADR 5). */
const nothing = () => () => undefined;

export {
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
