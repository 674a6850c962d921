import { isObject, type JsonObject } from '../../../foundations/kinds/json-object.ts'
import { NotVerified } from '../not-verified.ts'
import { isSubsetOf, parseName } from './distinguished-name.ts'

export const checks = ['integrity', 'authenticity', 'authenticTimestamp', 'expiry', 'revocation'] as const
export type Check = (typeof checks)[number]
export type Action = 'enforce' | 'log' | 'skip'

/** A statement of notation's `trustpolicy.json`. */
export interface TrustPolicy {
  readonly name: string
  /** Undefined to skip verification. */
  readonly enforcement: Readonly<Record<Check, Action>> | undefined
  readonly verifyTimestamp: 'always' | 'afterCertExpiry'
  /** `<type>:<name>`. */
  readonly trustStores: readonly string[]
  /** `*`, or `x509.subject: <name>`. */
  readonly trustedIdentities: readonly string[]
}

interface Statement extends TrustPolicy {
  readonly scopes: readonly string[]
}

const level = (authenticity: Action, others: Action): Readonly<Record<Check, Action>> => ({
  integrity: 'enforce',
  authenticity,
  authenticTimestamp: others,
  expiry: others,
  revocation: others,
})

const levels = {
  strict: level('enforce', 'enforce'),
  permissive: level('enforce', 'log'),
  audit: level('log', 'log'),
  skip: undefined,
} as const

const bad = (why: string): NotVerified => new NotVerified(`trust policy: ${why}`)

/**
 * The statement of the document for a repository (`<host>/<path>`): one that names it, or the one for `*`. Fails with
 * NotVerified if the document is invalid, or has no statement for the repository.
 */
export const findTrustPolicy = (document: Uint8Array, repository: string): TrustPolicy => {
  const statements = parseStatements(document)
  const found =
    statements.find(({ scopes }) => scopes.includes(repository)) ??
    statements.find(({ scopes }) => scopes.includes('*'))
  if (!found) throw new NotVerified(`artifact "${repository}" has no applicable trust policy statement`)
  return found
}

const parseStatements = (document: Uint8Array): readonly Statement[] => {
  const { version, trustPolicies } = objectOf(parse(document), 'the document')
  if (version !== '1.0') throw bad(`the document has an unsupported version ${JSON.stringify(version ?? '')}`)
  if (!Array.isArray(trustPolicies) || trustPolicies.length === 0) throw bad('the document has no statements')
  const statements = trustPolicies.map(statementOf)
  requireUnique(
    statements.map(({ name }) => name),
    name => `multiple trust policy statements use the same name "${name}"`,
  )
  requireUnique(
    statements.flatMap(({ scopes }) => scopes),
    scope => `registry scope "${scope}" is present in multiple trust policy statements`,
  )
  return statements
}

const parse = (document: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(document).toString('utf8'))
  } catch (cause) {
    throw new NotVerified('error occurred while parsing trustpolicy.json: it is not JSON', cause)
  }
}

const objectOf = (value: unknown, what: string): JsonObject => {
  if (isObject(value)) return value
  throw bad(`${what} is not an object`)
}

const listOf = (value: unknown, what: string): readonly string[] => {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every(entry => typeof entry === 'string')) return value
  throw bad(`${what} is not a list of strings`)
}

const requireUnique = (values: readonly string[], message: (value: string) => string): void => {
  const twice = values.find((value, index) => values.indexOf(value) !== index)
  if (twice !== undefined) throw bad(message(twice))
}

const statementOf = (value: unknown): Statement => {
  const statement = objectOf(value, 'a statement')
  const { name } = statement
  if (typeof name !== 'string' || name === '') throw bad('a statement is missing a name')
  const of = (what: string) => `${what} of statement "${name}"`
  const { enforcement, verifyTimestamp } = verificationOf(
    objectOf(statement.signatureVerification, of('signatureVerification')),
  )
  const scopes = scopesOf(listOf(statement.registryScopes, of('registryScopes')), name)
  if (!enforcement) return { name, scopes, enforcement, verifyTimestamp, trustStores: [], trustedIdentities: [] }
  const trustStores = listOf(statement.trustStores, of('trustStores'))
  const trustedIdentities = listOf(statement.trustedIdentities, of('trustedIdentities'))
  if (trustStores.length === 0 || trustedIdentities.length === 0) {
    throw bad(`statement "${name}" is either missing trust stores or trusted identities, both must be specified`)
  }
  for (const store of trustStores) {
    if (/^(ca|signingAuthority|tsa):[\w.-]+$/.test(store)) continue
    throw bad(`statement "${name}" has malformed trust store value "${store}"`)
  }
  requireIdentities(trustedIdentities, name)
  return { name, scopes, enforcement, verifyTimestamp, trustStores, trustedIdentities }
}

const verificationOf = ({ level, override, verifyTimestamp = 'always' }: JsonObject) => {
  if (typeof level !== 'string' || !Object.hasOwn(levels, level)) {
    throw bad(`invalid signature verification level ${JSON.stringify(level ?? '')}`)
  }
  if (verifyTimestamp !== 'always' && verifyTimestamp !== 'afterCertExpiry') {
    throw bad('verifyTimestamp must be "always" or "afterCertExpiry"')
  }
  const base = levels[level as keyof typeof levels]
  const changes = Object.entries(override === undefined || override === null ? {} : objectOf(override, 'override'))
  if (!base && changes.length > 0) throw bad('the level "skip" can not be customized')
  for (const [check, action] of changes) requireOverride(check, action)
  const enforcement = base && { ...base, ...(Object.fromEntries(changes) as Partial<Record<Check, Action>>) }
  return { enforcement, verifyTimestamp } as const
}

const requireOverride = (check: string, action: unknown): void => {
  if (!(checks as readonly string[]).includes(check)) throw bad(`verification type "${check}" is not supported`)
  if (action !== 'enforce' && action !== 'log' && action !== 'skip') {
    throw bad(`verification action ${JSON.stringify(action)} is not supported`)
  }
  if (check === 'integrity') throw bad('"integrity" verification can not be overridden')
  if (check !== 'revocation' && action === 'skip') throw bad(`"${check}" verification can not be skipped`)
}

const domain = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::[0-9]+)?$/
const component = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/

const scopesOf = (scopes: readonly string[], name: string): readonly string[] => {
  if (scopes.length === 0) throw bad(`statement "${name}" has zero registry scopes`)
  if (scopes.length > 1 && scopes.includes('*')) {
    throw bad(`statement "${name}" uses wildcard registry scope '*' in conjunction with other scope values`)
  }
  for (const scope of scopes) {
    if (scope === '*') continue
    const [host = '', ...path] = scope.split('/')
    const isRight = domain.test(host) && path.length > 0 && path.every(part => component.test(part))
    if (!isRight) throw bad(`registry scope "${scope}" is not valid`)
  }
  return scopes
}

const requireIdentities = (identities: readonly string[], name: string): void => {
  if (identities.length > 1 && identities.includes('*')) {
    throw bad(`statement "${name}" uses a wildcard trusted identity '*' in conjunction with other values`)
  }
  for (const identity of identities) {
    if (identity !== '*' && !identity.includes(':')) {
      throw bad(`statement "${name}" has trusted identity "${identity}" missing separator`)
    }
  }
  const names = subjectsIn(identities)
  const overlaps = names.some((one, i) => names.some((other, j) => i !== j && isSubsetOf(one, other)))
  if (overlaps) throw bad(`statement "${name}" has overlapping x509 trustedIdentities`)
}

const prefix = 'x509.subject:'

/** The subjects among trusted identities; other identities are for plugins, and match nothing. */
export const subjectsIn = (identities: readonly string[]) =>
  identities.filter(identity => identity.startsWith(prefix)).map(identity => parseName(identity.slice(prefix.length)))
