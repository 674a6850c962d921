/** An identity that STS confirms. */
export interface AwsIdentity {
  /** As STS returns it: `arn:aws:sts::111122223333:assumed-role/<role>/<session>`. */
  readonly arn: string
  /** The IAM principal: for a session, its role without the path. */
  readonly principal: string
  readonly account: string
  readonly userId: string
  /** For an assumed role; '' for others. */
  readonly session: string
}

/** Parses a response to GetCallerIdentity; undefined if it contains no identity. */
export const parseCallerIdentity = (xml: string): AwsIdentity | undefined => {
  const arn = element(xml, 'Arn')
  const account = element(xml, 'Account')
  const userId = element(xml, 'UserId')
  if (!arn || !userId || !/^\d{12}$/.test(account) || !new RegExp(`^arn:aws[a-z-]*:(iam|sts)::${account}:`).test(arn))
    return undefined
  return { arn, principal: principalOf(arn), account, userId, session: sessionIn(arn) }
}

/** Text of the first element with this name; STS returns flat XML, and its names contain nothing that XML escapes. */
const element = (xml: string, name: string): string =>
  new RegExp(`<${name}>([^<>&]+)</${name}>`).exec(xml)?.[1]?.trim() ?? ''

const assumedRole = /^arn:(aws[a-z-]*):sts::(\d{12}):assumed-role\/([^/]+)\/([^/]+)$/
const rolePath = /^(arn:aws[a-z-]*:iam::\d{12}:role\/)(?:[^/]+\/)*([^/]+)$/

/**
 * The principal of an ARN. Omits a role's path, since sessions don't contain it, and role names are unique within an account without it.
 */
export const principalOf = (arn: string): string =>
  arn.replace(assumedRole, 'arn:$1:iam::$2:role/$3').replace(rolePath, '$1$2')

const sessionIn = (arn: string): string => assumedRole.exec(arn)?.[4] ?? ''

/** IAM preserves the case of names, but does not allow two that differ only by case. */
export const isSamePrincipal = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
