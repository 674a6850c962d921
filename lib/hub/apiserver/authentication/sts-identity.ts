/** Who AWS says somebody is. */
export interface AwsIdentity {
  /** As STS gives it: `arn:aws:sts::111122223333:assumed-role/<role>/<session>`. */
  readonly arn: string
  /** The IAM principal: a session counts as its role, a role is named without its path. */
  readonly principal: string
  readonly account: string
  readonly userId: string
  /** Of an assumed role; '' for others. */
  readonly session: string
}

/** What an answer to GetCallerIdentity says; undefined when it names nobody. */
export const parseCallerIdentity = (xml: string): AwsIdentity | undefined => {
  const arn = element(xml, 'Arn')
  const account = element(xml, 'Account')
  const userId = element(xml, 'UserId')
  if (!arn || !userId || !/^\d{12}$/.test(account) || !new RegExp(`^arn:aws[a-z-]*:(iam|sts)::${account}:`).test(arn))
    return undefined
  return { arn, principal: principalOf(arn), account, userId, session: sessionIn(arn) }
}

/** Text of the first element of a name; STS answers with flat XML, and its names hold nothing that XML escapes. */
const element = (xml: string, name: string): string =>
  new RegExp(`<${name}>([^<>&]+)</${name}>`).exec(xml)?.[1]?.trim() ?? ''

const assumedRole = /^arn:(aws[a-z-]*):sts::(\d{12}):assumed-role\/([^/]+)\/([^/]+)$/
const rolePath = /^(arn:aws[a-z-]*:iam::\d{12}:role\/)(?:[^/]+\/)*([^/]+)$/

/**
 * The principal behind an ARN. A role's path is left out, since sessions do not tell it, and the names of an account's roles
 * differ without it.
 */
export const principalOf = (arn: string): string =>
  arn.replace(assumedRole, 'arn:$1:iam::$2:role/$3').replace(rolePath, '$1$2')

const sessionIn = (arn: string): string => assumedRole.exec(arn)?.[4] ?? ''

/** IAM keeps the case of names, and takes no two that differ by it only. */
export const isSamePrincipal = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
