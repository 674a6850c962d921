/** The elliptic curves that Go supports, by OpenSSL name: the digest that their keys sign with, and the OID of the signature algorithm. */
export const curves: ReadonlyMap<string, readonly [digest: string, id: string]> = new Map([
  ['secp224r1', ['sha256', '1.2.840.10045.4.3.2']],
  ['prime256v1', ['sha256', '1.2.840.10045.4.3.2']],
  ['secp384r1', ['sha384', '1.2.840.10045.4.3.3']],
  ['secp521r1', ['sha512', '1.2.840.10045.4.3.4']],
])
