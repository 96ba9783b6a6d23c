import { HasNone, Variable } from '../../config/variable.decorators.js';
import { type JwtIssuer, jwtIssuersErrors, jwtIssuersOf } from './jwt-issuers.js';

export class IdentitySettings {
  /** The identity providers whose JSON web tokens are accepted. Empty: none (A7). */
  @Variable('JWT_ISSUERS', jwtIssuersOf)
  @HasNone(jwtIssuersErrors)
  readonly jwtIssuers: readonly JwtIssuer[] = [];
}
