import { TokenRefused } from '../../identity/token-refused.ts'

/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>

export const hasClaim = (claims: Claims, name: string): boolean => Object.hasOwn(claims, name)

/** A claim that must be a string. Fails with TokenRefused; `what` names its use. */
export const textClaim = (claims: Claims, name: string, what: string): string => {
  if (!hasClaim(claims, name)) throw new TokenRefused(`oidc: parse ${what}: claim not present`)
  const value = claims[name]
  if (typeof value !== 'string') throw new TokenRefused(`oidc: parse ${what}: ${wrongType(value, 'string')}`)
  return value
}

/** A claim that must be a string or a list of strings. */
export const listClaim = (claims: Claims, name: string, what: string): readonly string[] => {
  const value = claims[name] ?? []
  const items = Array.isArray(value) ? value : [value]
  if (!items.every(item => typeof item === 'string'))
    throw new TokenRefused(`oidc: parse ${what}: ${wrongType(value, 'string')}`)
  return items
}

/** A claim that must be true or false. */
export const flagClaim = (claims: Claims, name: string, what: string): boolean => {
  const value = claims[name]
  if (typeof value !== 'boolean') throw new TokenRefused(`oidc: parse ${what}: ${wrongType(value, 'bool')}`)
  return value
}

/** Worded as Go's. Never the value: it is the user's. */
const wrongType = (value: unknown, wanted: string): string =>
  `json: cannot unmarshal ${typeOf(value)} into Go value of type ${wanted}`

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
