import { isList, type Value } from '../../../../engines/cel/values.ts'
import { checkSubdomain } from '../../../../foundations/kinds/names.ts'
import { duplicate, type FieldError, invalid, required } from '../../../../foundations/kinds/schema/field-error.ts'
import { TokenRefused } from '../../identity/token-refused.ts'
import type { User } from '../caller.ts'
import type { ClaimMappings, MappedClaim } from './authentication-configuration.ts'
import { type Claims, flagClaim, hasClaim, listClaim, textClaim } from './claims.ts'
import { type ClaimsExpression, compileExpression } from './compile-expression.ts'

/** How the claims of a token become a user. Each part fails with TokenRefused. */
export interface CompiledMappings {
  userOf(claims: Claims): User
  /** The expressions that may read `claims.email`, and those that may require it to be verified. */
  readonly username: ClaimsExpression | undefined
  readonly extra: readonly ClaimsExpression[]
}

/** Compiles the mappings, and adds their errors to `faults`. `path` is their field. */
export const compileMappings = (
  { username, groups, uid, extra }: ClaimMappings,
  path: string,
  faults: FieldError[],
): CompiledMappings => {
  const name = compileMapped(username ?? {}, `${path}.username`, true, faults)
  const members = compileMapped(groups ?? {}, `${path}.groups`, false, faults)
  const id = compileUid(uid ?? {}, `${path}.uid`, faults)
  const further = compileExtra(extra ?? [], `${path}.extra`, faults)
  return {
    username: name,
    extra: further.map(({ expression }) => expression),
    userOf: claims => {
      const user = {
        name: nameOf(claims, username ?? {}, name),
        groups: groupsOf(claims, groups ?? {}, members),
        uid: uidOf(claims, uid?.claim ?? '', id),
      }
      // A kube-apiserver accepts an empty one from a claim, and then treats the user as anonymous.
      if (!user.name) throw new TokenRefused('oidc: empty username is not allowed')
      return { name: user.name, groups: user.groups, ...(user.uid && { uid: user.uid }), ...extraOf(claims, further) }
    },
  }
}

const compileMapped = (
  { claim = '', expression = '', prefix }: MappedClaim,
  field: string,
  isRequired: boolean,
  faults: FieldError[],
): ClaimsExpression | undefined => {
  if (expression && claim) faults.push(invalid(field, '', "claim and expression can't both be set"))
  else if (!expression && !claim) {
    if (isRequired) faults.push(required(field, 'claim or expression is required'))
  } else if (expression) {
    if (prefix != null) faults.push(invalid(`${field}.prefix`, prefix, 'may not be specified when expression is set'))
    return compileExpression(expression, 'claims', `${field}.expression`, faults)
  } else if (prefix == null)
    faults.push(
      required(
        `${field}.prefix`,
        'prefix is required when claim is set. It can be set to an empty string to disable prefixing',
      ),
    )
  return undefined
}

const compileUid = (
  { claim = '', expression = '' }: NonNullable<ClaimMappings['uid']>,
  field: string,
  faults: FieldError[],
): ClaimsExpression | undefined => {
  if (claim && expression) faults.push(invalid(field, '', "claim and expression can't both be set"))
  else if (expression) return compileExpression(expression, 'claims', `${field}.expression`, faults)
  return undefined
}

interface ExtraMapping {
  readonly key: string
  readonly expression: ClaimsExpression
}

const compileExtra = (
  mappings: NonNullable<ClaimMappings['extra']>,
  path: string,
  faults: FieldError[],
): readonly ExtraMapping[] => {
  const seen = new Set<string>()
  return mappings.flatMap(({ key = '', valueExpression = '' }, index) => {
    const at = `${path}[${index}]`
    checkKey(key, `${at}.key`, faults)
    if (seen.has(key)) {
      faults.push(duplicate(`${at}.key`, key))
      return []
    }
    seen.add(key)
    if (!valueExpression) {
      faults.push(required(`${at}.valueExpression`))
      return []
    }
    const expression = compileExpression(valueExpression, 'claims', `${at}.valueExpression`, faults)
    return expression ? [{ key, expression }] : []
  })
}

const pathCharacters = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"

const checkKey = (key: string, field: string, faults: FieldError[]): void => {
  const [, domain, path] = /^([^/]+)\/(.+)$/s.exec(key) ?? []
  if (!key) faults.push(required(field))
  else if (!domain || !path) faults.push(invalid(field, key, 'must be a domain-prefixed path (such as "acme.io/foo")'))
  else {
    for (const problem of checkSubdomain(domain)) faults.push(invalid(field, domain, problem))
    if (!new RegExp(`^${pathCharacters}$`).test(path))
      faults.push(invalid(field, path, `Invalid path (regex used for validation is '${pathCharacters}')`))
  }
  if (key !== key.toLowerCase()) faults.push(invalid(field, key, 'must be lowercase'))
  if (/^([^/]*\.)?(kubernetes|k8s)\.io\//.test(key))
    faults.push(invalid(field, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'))
}

const nameOf = (
  claims: Claims,
  { claim = '', prefix }: MappedClaim,
  expression: ClaimsExpression | undefined,
): string => {
  if (expression) return textOf(expression, claims, 'username claim expression')
  const name = textClaim(claims, claim, `username claims "${claim}"`)
  if (claim === 'email' && hasClaim(claims, 'email_verified')) {
    if (!flagClaim(claims, 'email_verified', "'email_verified' claim"))
      throw new TokenRefused('oidc: email not verified')
  }
  return `${prefix ?? ''}${name}`
}

const groupsOf = (
  claims: Claims,
  { claim = '', prefix }: MappedClaim,
  expression: ClaimsExpression | undefined,
): readonly string[] => {
  if (expression) return textsOf(expression, claims, 'group claim expression')
  if (!claim || !hasClaim(claims, claim)) return []
  return listClaim(claims, claim, `groups claim "${claim}"`).map(group => `${prefix ?? ''}${group}`)
}

const uidOf = (claims: Claims, claim: string, expression: ClaimsExpression | undefined): string => {
  if (expression) return textOf(expression, claims, 'uid claim expression')
  return claim ? textClaim(claims, claim, `uid claim "${claim}"`) : ''
}

const extraOf = (claims: Claims, mappings: readonly ExtraMapping[]): Pick<User, 'extra'> => {
  const found = mappings.map(
    ({ key, expression }) => [key, textsOf(expression, claims, 'extra claim expression')] as const,
  )
  const { jti } = claims
  const credential = typeof jti === 'string' && jti !== '' ? [[credentialId, [`JTI=${jti}`]] as const] : []
  const filled = [...credential, ...found.filter(([, values]) => values.length > 0)]
  return filled.length > 0 ? { extra: Object.fromEntries(filled) } : {}
}

/** Identifies the token in audit events. */
const credentialId = 'authentication.kubernetes.io/credential-id'

const textOf = (expression: ClaimsExpression, claims: Claims, what: string): string => {
  const value = expression.evaluate(claims, what)
  if (typeof value === 'string') return value
  throw new TokenRefused(`oidc: error evaluating ${what}: ${what} must return a string`)
}

/** A string or a list of strings; empty ones count as absent. */
const textsOf = (expression: ClaimsExpression, claims: Claims, what: string): readonly string[] => {
  const value = expression.evaluate(claims, what)
  const items: readonly Value[] = value === null ? [] : isList(value) ? value : [value]
  if (!items.every(item => typeof item === 'string'))
    throw new TokenRefused(`oidc: error evaluating ${what}: expression must return a string or a list of strings`)
  return (items as readonly string[]).filter(item => item !== '')
}
