/** The token of an `Authorization` header of scheme `Bearer`, in any letter case (A1; RFC 6750, section 2.1). */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer ([^ ]+)$/i.exec(authorization)?.[1];
}
