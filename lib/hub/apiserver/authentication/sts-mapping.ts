import { isObject, type JsonValue } from '../../../engines/yaml/json-value.ts'
import { parseYaml } from '../../../engines/yaml/parse.ts'
import type { User } from './caller.ts'
import { type AwsIdentity, isSamePrincipal, principalOf } from './sts-identity.ts'

/** One entry of the mapping: the user and groups of a principal. `{{...}}` is replaced per session. */
export interface MappedPrincipal {
  readonly principal: string
  readonly username: string
  readonly groups: readonly string[]
}

/** The users of AWS principals in the hub. */
export interface AwsMapping {
  readonly principals: readonly MappedPrincipal[]
  /** Accounts whose principals are known by their ARN, without groups. */
  readonly accounts: readonly string[]
  /** The parts that were skipped, and why: for the log. */
  readonly faults: readonly string[]
}

export const noMapping: AwsMapping = { principals: [], accounts: [], faults: [] }

/**
 * Reads the data of an `aws-auth` ConfigMap in EKS' format: `mapRoles`, `mapUsers` and `mapAccounts`, each a YAML list. An invalid entry is
 * skipped and reported among the faults: it must not lock out the others.
 */
export const readAwsMapping = (data: Readonly<Record<string, string>>): AwsMapping => {
  const faults: string[] = []
  const listed = (key: string): JsonValue[] => {
    try {
      const [value = []] = parseYaml(data[key] ?? '', { file: key })
      if (Array.isArray(value)) return value
      faults.push(`${key} is not a list`)
    } catch (error) {
      faults.push((error as Error).message)
    }
    return []
  }
  const principals = (key: string, arnField: string): MappedPrincipal[] =>
    listed(key).flatMap((entry, at) => {
      const read = principalIn(entry, arnField)
      if (typeof read !== 'string') return [read]
      faults.push(`${key}[${at}]: ${read}`)
      return []
    })
  return {
    principals: [...principals('mapRoles', 'rolearn'), ...principals('mapUsers', 'userarn')],
    accounts: listed('mapAccounts').map(String),
    faults,
  }
}

/** The principal of an entry, or what is wrong with it. */
const principalIn = (entry: JsonValue, arnField: string): MappedPrincipal | string => {
  if (!isObject(entry)) return 'is not an object'
  const { [arnField]: arn, username = arn, groups = [] } = entry
  if (typeof arn !== 'string' || !arn.startsWith('arn:')) return `${arnField} is not an ARN`
  if (typeof username !== 'string' || username === '') return 'username is not a string'
  if (!Array.isArray(groups) || !groups.every(group => typeof group === 'string'))
    return 'groups is not a list of strings'
  const unknown = [username, ...groups]
    .flatMap(text => [...text.matchAll(placeholder)])
    .find(([, name]) => !Object.hasOwn(fillers, name!))
  if (unknown) return `${unknown[0]} is unknown: the placeholders are ${Object.keys(fillers).join(', ')}`
  return { principal: principalOf(arn), username, groups }
}

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g

/** `@` is not allowed everywhere that usernames are used. */
const fillers: Readonly<Record<string, (identity: AwsIdentity) => string>> = {
  AccountID: ({ account }) => account,
  SessionName: ({ session }) => session.replaceAll('@', '-'),
  SessionNameRaw: ({ session }) => session,
}

const filled = (text: string, identity: AwsIdentity): string =>
  text.replace(placeholder, (_, name: string) => fillers[name]!(identity))

export interface HubAdmins {
  /** ARNs of principals that may do everything. */
  readonly admins: readonly string[]
  /** The account of the hub. */
  readonly account: string
}

/**
 * The user for an identity in the hub. An unmapped identity is named by its ARN, so that RBAC refuses it by name; one of another account is
 * not even authenticated: anyone can have an AWS account.
 */
export const userOf = (identity: AwsIdentity, mapping: AwsMapping, { admins, account }: HubAdmins): User => {
  const extra = {
    arn: [identity.arn],
    canonicalArn: [identity.principal],
    principalId: [identity.userId],
    sessionName: [identity.session],
  }
  const uid = `aws-iam-authenticator:${identity.account}:${identity.userId}`
  const user = (name: string, groups: readonly string[]): User => ({ name, uid, groups, extra })

  const is = (principal: string) => isSamePrincipal(principal, identity.principal)
  if (admins.some(admin => is(principalOf(admin)))) return user(identity.arn, ['system:masters', authenticated])
  const mapped = mapping.principals.filter(({ principal }) => is(principal)).at(-1)
  if (mapped) {
    const groups = mapped.groups.map(group => filled(group, identity))
    return user(filled(mapped.username, identity), [...new Set([...groups, authenticated])])
  }
  const isKnown = identity.account === account || mapping.accounts.includes(identity.account)
  return user(identity.principal, [isKnown ? authenticated : 'system:unauthenticated'])
}

const authenticated = 'system:authenticated'
