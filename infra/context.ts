import { parseRootSource, type RootSource, rootSourceForm } from '../lib/compose/root-source.ts'

/** What an operator chooses with `cdk deploy -c key=value`, or under `context` in cdk.json. */
export interface HubContext {
  /** Names the stack, its functions and queues; and the hub in tokens (`aws eks get-token --cluster-name`). */
  readonly hubName: string
  /** IAM principals that may do everything in the hub. */
  readonly admins: readonly string[]
  /** What a new hub fills itself from. */
  readonly rootSource?: RootSource
  /** VPC through which private clusters and sources are reached. */
  readonly vpcId?: string
  /** Who is told of alarms. */
  readonly alarmEmail?: string
  readonly noCrossNamespaceRefs: boolean
  readonly noRemoteBases: boolean
  readonly defaultServiceAccount?: string
  /** Roles that reaching clusters, sources and keys of other accounts takes. */
  readonly assumeRoles: readonly string[]
  /** KMS keys with which SOPS files are encrypted. */
  readonly sopsKeys: readonly string[]
  /** S3 buckets that Bucket sources read. */
  readonly sourceBuckets: readonly string[]
  /** API groups whose kustomize plugins may run, and the Lambda layer that brings them below `kustomize/plugins`. */
  readonly pluginGroups: readonly string[]
  readonly pluginLayerArn?: string
  /** How many functions at a time the public URLs may take, each; absent = what the account has. */
  readonly urlConcurrency?: number
  readonly architecture: 'arm64' | 'x86_64'
  /** Traces of all functions in X-Ray. */
  readonly tracing: boolean
  /** Table to work on in place of the stack's own: one that a backup was restored to. */
  readonly restoredTable?: string
  /** Deletes table, bucket and key together with the stack. */
  readonly removeData: boolean
}

/** The context can't be used as given; tells all faults, each with its key and what it must be. */
export class ContextError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(`the deployment's context is not as it must be:\n${faults.map(fault => `  ${fault}`).join('\n')}`)
    this.name = 'ContextError'
    this.faults = faults
  }
}

/** Reads the context; values are text as from the command line, or JSON as from cdk.json. Fails with ContextError. */
export const readContext = (given: (key: string) => unknown, keys: readonly string[] = []): HubContext => {
  const faults: string[] = []

  const one = (key: keyof HubContext, form: RegExp, expected: string): string | undefined => {
    const found = given(key)
    const value = typeof found === 'number' ? String(found) : found
    if (value === undefined || value === '') return undefined
    if (typeof value === 'string' && form.test(value)) return value
    faults.push(`${key} is ${shown(value)}: expected ${expected}`)
    return undefined
  }
  const list = (key: keyof HubContext, form: RegExp, expected: string): string[] => {
    const value = given(key) ?? []
    const items = typeof value === 'string' ? value.split(',').map(item => item.trim()) : value
    if (!Array.isArray(items)) {
      faults.push(`${key} is ${shown(value)}: expected ${expected}, separated by commas`)
      return []
    }
    const good = items.filter(item => typeof item === 'string' && form.test(item))
    for (const item of items)
      if (item !== '' && !good.includes(item)) faults.push(`${key} holds ${shown(item)}: expected ${expected}`)
    return good
  }
  const flag = (key: keyof HubContext): boolean => {
    const value = given(key) ?? false
    if (value === true || value === 'true') return true
    if (value !== false && value !== 'false' && value !== '')
      faults.push(`${key} is ${shown(value)}: expected true or false`)
    return false
  }
  const root = (): RootSource | undefined => {
    const value = given('rootSource')
    if (value === undefined || value === '') return undefined
    const parsed = typeof value === 'string' ? parseRootSource(value) : undefined
    // The text itself is not shown: it may hold a password, which is one reason to refuse it.
    if (!parsed) faults.push(`rootSource is of another form: expected ${rootSourceForm}, without credentials`)
    return parsed
  }

  for (const key of keys) {
    const meant = contextKeys.find(known => known !== key && known.toLowerCase() === key.toLowerCase())
    if (meant) faults.push(`${key} is no key of this deployment: expected ${meant}`)
  }
  const context: HubContext = {
    hubName:
      one('hubName', /^[a-z](?:[a-z0-9]|-(?=[a-z0-9])){0,29}$/, 'lower-case letters, digits and dashes, 30 at most') ??
      'keelson',
    admins: list('admins', principal, 'IAM ARNs as arn:aws:iam::111122223333:role/name or :user/name'),
    rootSource: root(),
    vpcId: one('vpcId', /^vpc-[0-9a-f]{8,17}$/, 'the id of a VPC as vpc-0123456789abcdef0'),
    alarmEmail: one('alarmEmail', /^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address'),
    noCrossNamespaceRefs: flag('noCrossNamespaceRefs'),
    noRemoteBases: flag('noRemoteBases'),
    defaultServiceAccount: one(
      'defaultServiceAccount',
      /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/,
      'the name of a ServiceAccount',
    ),
    assumeRoles: list(
      'assumeRoles',
      /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/,
      'role ARNs as arn:aws:iam::111122223333:role/name',
    ),
    sopsKeys: list(
      'sopsKeys',
      /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
      'KMS key ARNs as arn:aws:kms:eu-west-1:111122223333:key/id',
    ),
    sourceBuckets: list('sourceBuckets', /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'names of S3 buckets'),
    pluginGroups: list('pluginGroups', /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'API groups of kustomize plugins'),
    pluginLayerArn: one(
      'pluginLayerArn',
      /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:layer:[\w-]+:\d+$/,
      'the ARN of a layer version as arn:aws:lambda:eu-west-1:111122223333:layer:name:1',
    ),
    urlConcurrency: numberOf(one('urlConcurrency', /^[1-9]\d{0,4}$/, 'a number of functions, 1 or more')),
    architecture: one('architecture', /^(arm64|x86_64)$/, 'arm64 or x86_64') === 'x86_64' ? 'x86_64' : 'arm64',
    tracing: flag('tracing'),
    restoredTable: one('restoredTable', /^[\w.-]{3,255}$/, 'the name of a DynamoDB table'),
    removeData: flag('removeData'),
  }
  if (faults.length > 0) throw new ContextError(faults)
  return context
}

/** All keys that this deployment reads. */
export const contextKeys: readonly (keyof HubContext)[] = [
  ...(['hubName', 'admins', 'rootSource', 'vpcId', 'alarmEmail'] as const),
  ...(['noCrossNamespaceRefs', 'noRemoteBases', 'defaultServiceAccount'] as const),
  ...(['assumeRoles', 'sopsKeys', 'sourceBuckets', 'pluginGroups', 'pluginLayerArn'] as const),
  ...(['urlConcurrency', 'architecture', 'tracing', 'restoredTable', 'removeData'] as const),
]

const principal = /^arn:aws[a-z-]*:iam::\d{12}:(root|(role|user)\/[\w+=,.@/-]+)$/

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

const shown = (value: unknown): string => JSON.stringify(value)
