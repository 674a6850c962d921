import { isObject, type JsonValue } from '../../../engines/yaml/json-value.ts'
import { parseYaml } from '../../../engines/yaml/parse.ts'
import type { User } from './caller.ts'
import { type AwsIdentity, isSamePrincipal, principalOf } from './sts-identity.ts'

/** One line of the mapping: this principal is that user, in those groups. `{{...}}` is filled in per session. */
export interface MappedPrincipal {
  readonly principal: string
  readonly username: string
  readonly groups: readonly string[]
}

/** Who AWS principals are in the hub. */
export interface AwsMapping {
  readonly principals: readonly MappedPrincipal[]
  /** Accounts whose principals are known by their ARN, without groups. */
  readonly accounts: readonly string[]
  /** What of the configuration is left out, and why: for the log. */
  readonly faults: readonly string[]
}

export const noMapping: AwsMapping = { principals: [], accounts: [], faults: [] }

/**
 * Reads the data of an `aws-auth` ConfigMap as EKS has it: `mapRoles`, `mapUsers` and `mapAccounts`, each a list in YAML. An
 * entry that can't be used is left out and told among the faults: it must not lock out those of the others.
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

/** What an entry says, or what is wrong with it. */
const principalIn = (entry: JsonValue, arnField: string): MappedPrincipal | string => {
  if (!isObject(entry)) return 'is not an object'
  const { [arnField]: arn, username = arn, groups = [] } = entry
  if (typeof arn !== 'string' || !arn.startsWith('arn:')) return `${arnField} is no ARN`
  if (typeof username !== 'string' || username === '') return 'username is not a string'
  if (!Array.isArray(groups) || !groups.every(group => typeof group === 'string'))
    return 'groups is not a list of strings'
  const unknown = [username, ...groups]
    .flatMap(text => [...text.matchAll(placeholder)])
    .find(([, name]) => !Object.hasOwn(fillers, name!))
  if (unknown) return `${unknown[0]} is not known here: there are ${Object.keys(fillers).join(', ')}`
  return { principal: principalOf(arn), username, groups }
}

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g

/** `@` may not stand in every place where usernames go. */
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
  /** The account that the hub is in. */
  readonly account: string
}

/**
 * The user that an identity stands for in the hub. An identity that is not mapped is known by its ARN, so that RBAC refuses it by
 * name; one of another account does not even count as authenticated: anybody can have an AWS account.
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
