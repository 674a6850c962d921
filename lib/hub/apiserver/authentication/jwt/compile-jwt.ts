import { X509Certificate } from 'node:crypto'
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  required,
  tooMany,
} from '../../../../foundations/kinds/schema/field-error.ts'
import { requireNoFaults } from '../../configuration/read-configuration.ts'
import type { User } from '../caller.ts'
import {
  type AuthenticationConfiguration,
  type IssuerConfiguration,
  type JwtConfiguration,
  readAuthenticationConfiguration,
} from './authentication-configuration.ts'
import { compileMappings } from './claim-mappings.ts'
import type { Claims } from './claims.ts'
import { compileClaimRules, compileUserRules } from './validation-rules.ts'

/** An issuer of tokens for users. */
export interface Issuer {
  /** The claim `iss`. */
  readonly url: string
  /** The URL of its configuration, if it is not below its own URL. */
  readonly discoveryUrl?: string
  /** PEM of the certificate authorities to trust; absent = the public ones. */
  readonly certificateAuthority?: string
}

/** An issuer, and the mapping of its tokens to users. */
export interface JwtAuthenticator {
  readonly issuer: Issuer
  readonly audiences: readonly string[]
  /** The user of a verified token, by its claims. Fails with TokenRefused. */
  userOf(claims: Claims): User
}

const maxAuthenticators = 64

/**
 * Reads a file of `--authentication-config`, with a kube-apiserver's rules and messages. Issuers that sign the hub's own tokens are refused.
 * Fails with a ConfigurationError that names all faults.
 */
export const compileAuthentication = (
  source: string,
  disallowedIssuers: readonly string[],
): readonly JwtAuthenticator[] => {
  const configuration = readAuthenticationConfiguration(source)
  const faults: FieldError[] = []
  const authenticators = compileAll(configuration, disallowedIssuers, faults)
  requireNoFaults(faults)
  return authenticators
}

const compileAll = (
  { jwt, anonymous }: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
  faults: FieldError[],
): readonly JwtAuthenticator[] => {
  const all = jwt ?? []
  if (all.length > maxAuthenticators) {
    faults.push(tooMany('jwt', all.length, maxAuthenticators))
    return []
  }
  const seen = { urls: new Set<string>(), discoveries: new Set<string>() }
  const compiled = all.map((one, index) => {
    const path = `jwt[${index}]`
    const authenticator = compileJwt(one ?? {}, path, disallowedIssuers, faults)
    const { url = '', discoveryURL = '' } = one?.issuer ?? {}
    if (seen.urls.has(url)) faults.push(duplicate(`${path}.issuer.url`, url))
    if (discoveryURL && seen.discoveries.has(discoveryURL))
      faults.push(duplicate(`${path}.issuer.discoveryURL`, discoveryURL))
    seen.urls.add(url)
    seen.discoveries.add(discoveryURL)
    return authenticator
  })
  if (anonymous?.enabled)
    faults.push(
      forbidden('anonymous.enabled', 'a hub requires credentials for everything except its version and health'),
    )
  else if (anonymous?.conditions?.length)
    faults.push(
      invalid(
        'anonymous.conditions',
        anonymous.conditions,
        'enabled should be set to true when conditions are defined',
      ),
    )
  return compiled
}

const emailUnverified =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression'

const compileJwt = (
  { issuer, claimValidationRules, claimMappings, userValidationRules }: JwtConfiguration,
  path: string,
  disallowedIssuers: readonly string[],
  faults: FieldError[],
): JwtAuthenticator => {
  const given = issuer ?? {}
  checkIssuer(given, `${path}.issuer`, disallowedIssuers, faults)
  const claimRules = compileClaimRules(claimValidationRules ?? [], `${path}.claimValidationRules`, faults)
  const mappings = compileMappings(claimMappings ?? {}, `${path}.claimMappings`, faults)
  const { username } = mappings
  const mayVerify = [...(username ? [username] : []), ...mappings.extra, ...claimRules.expressions]
  if (username?.reads('email') && !mayVerify.some(expression => expression.reads('email_verified')))
    faults.push(invalid(`${path}.claimMappings.username.expression`, username.text, emailUnverified))
  const requireUser = compileUserRules(userValidationRules ?? [], `${path}.userValidationRules`, faults)
  const { url = '', discoveryURL, certificateAuthority, audiences } = given
  return {
    issuer: {
      url,
      ...(discoveryURL && { discoveryUrl: discoveryURL }),
      ...(certificateAuthority && { certificateAuthority }),
    },
    audiences: audiences ?? [],
    userOf: claims => {
      const user = mappings.userOf(claims)
      claimRules.require(claims)
      requireUser(user)
      const isMember = user.groups.includes(authenticated)
      return { ...user, groups: isMember ? user.groups : [...user.groups, authenticated] }
    },
  }
}

const authenticated = 'system:authenticated'

const checkIssuer = (
  { url = '', discoveryURL = '', audiences, audienceMatchPolicy = '', ...others }: IssuerConfiguration,
  path: string,
  disallowedIssuers: readonly string[],
  faults: FieldError[],
): void => {
  if (url) checkUrl(url, `${path}.url`, disallowedIssuers, faults)
  else faults.push(required(`${path}.url`))
  if (discoveryURL) {
    if (url && withoutSlashes(url) === withoutSlashes(discoveryURL))
      faults.push(invalid(`${path}.discoveryURL`, discoveryURL, 'discoveryURL must be different from URL'))
    checkUrl(discoveryURL, `${path}.discoveryURL`, [], faults)
  }
  checkAudiences(audiences ?? [], audienceMatchPolicy, path, faults)
  const { certificateAuthority, egressSelectorType } = others
  if (certificateAuthority && !holdsCertificates(certificateAuthority))
    faults.push(
      invalid(`${path}.certificateAuthority`, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates'),
    )
  if (egressSelectorType)
    faults.push(invalid(`${path}.egressSelectorType`, egressSelectorType, 'a hub has no egress selectors'))
}

const withoutSlashes = (url: string): string => url.replace(/\/+$/, '')

const checkUrl = (text: string, field: string, disallowed: readonly string[], faults: FieldError[]): void => {
  const wrong = (detail: string) => faults.push(invalid(field, text, detail))
  if (disallowed.includes(text)) wrong(`URL must not overlap with disallowed issuers: [${disallowed.join(' ')}]`)
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') wrong('URL scheme must be https')
  if (!url) return
  if (url.username || url.password) wrong('URL must not contain a username or password')
  if (url.search) wrong('URL must not contain a query')
  if (url.hash) wrong('URL must not contain a fragment')
}

const checkAudiences = (audiences: readonly string[], policy: string, path: string, faults: FieldError[]): void => {
  if (audiences.length === 0) {
    faults.push(required(`${path}.audiences`, `at least one ${path}.audiences is required`))
    return
  }
  const seen = new Set<string>()
  for (const [index, audience] of audiences.entries()) {
    const at = `${path}.audiences[${index}]`
    if (!audience) faults.push(required(at))
    if (seen.has(audience)) faults.push(duplicate(at, audience))
    seen.add(audience)
  }
  if (audiences.length > 1 && policy !== 'MatchAny')
    faults.push(
      invalid(`${path}.audienceMatchPolicy`, policy, 'audienceMatchPolicy must be MatchAny for multiple audiences'),
    )
  if (audiences.length === 1 && policy && policy !== 'MatchAny')
    faults.push(
      invalid(
        `${path}.audienceMatchPolicy`,
        policy,
        'audienceMatchPolicy must be empty or MatchAny for single audience',
      ),
    )
}

const holdsCertificates = (text: string): boolean => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  return blocks.length > 0 && blocks.every(isCertificate)
}

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
