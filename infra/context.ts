import { parseRootSource, type RootSource, rootSourceForm } from '../lib/compose/root-source.ts'
import { optionalSetting, parseSettings, type SettingValues, setting } from '../lib/compose/settings/setting.ts'
import { settingDeclarations } from '../lib/compose/settings/setting-options.ts'
import {
  InvalidValue,
  listOf,
  oneOf,
  onOff,
  pairsOf,
  text,
  type ValueFormat,
  wholeNumber,
} from '../lib/compose/settings/value-format.ts'
import { stages } from '../lib/platform/ports/queue.ts'

const rootSource: ValueFormat<RootSource> = {
  placeholder: 'url',
  expected: `${rootSourceForm}, without credentials`,
  read: url => {
    const parsed = parseRootSource(url)
    if (parsed) return parsed
    // Does not quote the text: it may be invalid because it holds a password.
    throw new InvalidValue('has the wrong format', rootSource.expected)
  },
  write: ({ url, path }) => `${url}//${path}`,
}

/** The retentions that CloudWatch Logs has. */
const logDays = [
  ...[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731],
  ...[1096, 1827, 2192, 2557, 2922, 3288, 3653],
]

const daysOfLogs: ValueFormat<number> = {
  placeholder: 'days',
  expected: `one of the retentions of CloudWatch Logs: ${logDays.join(', ')}`,
  read: given => {
    const days = logDays.find(each => String(each) === given)
    if (days !== undefined) return days
    throw new InvalidValue(`is ${JSON.stringify(given)}`, daysOfLogs.expected)
  },
  write: String,
}

const arn = (pattern: RegExp, expected: string) => text('arn', pattern, expected)

/** The settings of a deployment, beside those of the hub. */
export const deploymentSettings = {
  hubName: setting(
    'name of the stack, prefix of its functions and queues, and the cluster name in tokens. It must differ from the names of your EKS clusters: a token is valid for one name',
    text('name', /^[a-z](?:[a-z0-9]|-(?=[a-z0-9])){0,29}$/, 'lower-case letters, digits and dashes, 30 at most'),
    'keelson',
  ),
  admins: setting(
    'IAM ARNs of roles and users in `system:masters`',
    listOf(
      arn(
        /^arn:aws[a-z-]*:(iam::\d{12}:(root|(role|user)\/[\w+=,.@/-]+)|sts::\d{12}:assumed-role\/[\w+=,.@-]+\/[\w+=,.@-]+)$/,
        'IAM ARNs as arn:aws:iam::111122223333:role/name or :user/name',
      ),
      'arns',
    ),
    [],
  ),
  authenticationConfig: optionalSetting(
    'file with the issuers of tokens that people log in with (AuthenticationConfiguration), in addition to their IAM identities: see [people](people.md). It is part of the deployment: deploy again after a change',
    text('file', /^[^\0]{1,4096}$/, 'a path'),
  ),
  auditLog: optionalSetting(
    'days to keep the [audit log](people.md#audit-log-on-aws), a log group of its own; without this key there is none',
    daysOfLogs,
  ),
  auditPolicy: optionalSetting(
    'file with the policy of the audit log (Policy of audit.k8s.io); by default writes, and reads of Secrets by people. It is part of the deployment: deploy again after a change',
    text('file', /^[^\0]{1,4096}$/, 'a path'),
  ),
  rootSource: optionalSetting(
    `repository and folder that the hub reconciles itself from: \`${rootSourceForm}\`. It becomes the GitRepository and Kustomization \`root\` in \`keelson-system\`; \`secret\` is a Secret there with the credentials`,
    rootSource,
  ),
  domainName: optionalSetting(
    'domain name of the API and the webhooks, as `hub.example.com`, which stays the same when the stack or the region changes. Needs `certificateArn`; see [addresses](#addresses)',
    text(
      'name',
      /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
      'a host name in lower-case letters, as hub.example.com',
    ),
  ),
  certificateArn: optionalSetting(
    'certificate for `domainName` in AWS Certificate Manager. CloudFront requires us-east-1, whatever the region of the hub',
    arn(
      /^arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
      'the ARN of a certificate in us-east-1 as arn:aws:acm:us-east-1:111122223333:certificate/id',
    ),
  ),
  hostedZoneId: optionalSetting(
    'Route 53 zone in which the records of `domainName` are created; without it you create them in your DNS',
    text('id', /^Z[A-Z0-9]{1,31}$/, 'the id of a hosted zone as Z0123456789ABCDEFGHIJ'),
  ),
  vpcId: optionalSetting(
    'VPC in whose private subnets `live`, `source`, `build`, `apply`, `helmrelease`, `resourceset` and `helmcharts` run. It needs a NAT gateway, or endpoints for DynamoDB, S3, SQS, KMS, STS, Secrets Manager and Lambda',
    text('id', /^vpc-[0-9a-f]{8,17}$/, 'the id of a VPC as vpc-0123456789abcdef0'),
  ),
  alarmEmail: optionalSetting(
    'e-mail address for alarms',
    text('address', /^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address'),
  ),
  assumeRoles: setting(
    'roles that the hub may assume, for clusters, registries and keys of other accounts',
    listOf(
      arn(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/, 'role ARNs as arn:aws:iam::111122223333:role/name'),
      'arns',
    ),
    [],
  ),
  sopsKeys: setting(
    'KMS keys that SOPS files are encrypted with',
    listOf(
      arn(
        /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
        'KMS key ARNs as arn:aws:kms:eu-west-1:111122223333:key/id',
      ),
      'arns',
    ),
    [],
  ),
  sourceBuckets: setting(
    "S3 buckets that Bucket sources read. A change in a bucket of the hub's region is reconciled at once if the bucket sends its events to EventBridge ([events](#events-of-aws))",
    listOf(text('name', /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'names of S3 buckets'), 'names'),
    [],
  ),
  pluginLayerArn: optionalSetting(
    'Lambda layer with the kustomize plugins of `pluginGroups`, below `kustomize/plugins` ([kustomize](kustomize.md))',
    arn(
      /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:layer:[\w-]+:\d+$/,
      'the ARN of a layer version as arn:aws:lambda:eu-west-1:111122223333:layer:name:1',
    ),
  ),
  stageConcurrency: setting(
    'maximum concurrency of stages, as `source=40,apply=100`; other stages keep [their defaults](#limits-and-how-they-are-met)',
    pairsOf(stages, wholeNumber(2, 1000)),
    {},
  ),
  urlConcurrency: setting(
    "reserved concurrency of each of the two public functions, so that a flood of (rejected) requests can't use up the account's. Lambda keeps at least 100 unreserved: with a quota below 200 the deployment fails, unless this is 0, which reserves none (see [limits](#limits-and-how-they-are-met))",
    wholeNumber(0, 10_000),
    50,
  ),
  architecture: setting('or `x86_64`', oneOf(['arm64', 'x86_64']), 'arm64'),
  tracing: setting('X-Ray traces of all functions', onOff, false),
  restoredTable: optionalSetting(
    "table to use instead of the stack's own: see [restore](#restore)",
    text('name', /^[\w.-]{3,255}$/, 'the name of a DynamoDB table'),
  ),
  multiRegionKey: setting(
    'whether the master key can have replicas in other regions, which need one to decrypt anything ([regions](regions.md)). Set it with the first deployment: KMS cannot change it for an existing key',
    onOff,
    false,
  ),
  masterKey: optionalSetting(
    "key to encrypt with instead of the stack's own, such as a replica of another region's ([regions](regions.md))",
    arn(
      /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
      'a KMS key ARN as arn:aws:kms:eu-west-1:111122223333:key/id',
    ),
  ),
  removeData: setting('whether the table, the bucket and the key are deleted with the stack', onOff, false),
}

/** What an operator sets with `cdk deploy -c key=value`, or under `context` in cdk.json. */
export interface HubContext extends SettingValues<typeof deploymentSettings> {
  /** The hub's settings as given, by key: the functions parse them again. */
  readonly settings: Readonly<Record<string, unknown>>
}

/** The context is invalid; lists all faults, each with its key and what is expected. */
export class ContextError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(`invalid context:\n${faults.map(fault => `  ${fault}`).join('\n')}`)
    this.name = 'ContextError'
    this.faults = faults
  }
}

/** Parses the context. Values are strings if they are from the command line, JSON if from cdk.json. Throws ContextError. */
export const readContext = (context: Readonly<Record<string, unknown>>): HubContext => {
  const ours = Object.fromEntries(Object.entries(context).filter(([key]) => !isOfCdk(key)))
  const { values, faults } = parseSettings({ ...deploymentSettings, ...settingDeclarations }, ours)
  if (faults.length > 0) throw new ContextError(faults)
  const lacking = missingDomainSetting(values) ?? missingAuditSetting(values)
  if (lacking) throw new ContextError([lacking])
  const own = Object.keys(deploymentSettings).map(key => [key, values[key as keyof typeof values]])
  const settings = Object.entries(ours).filter(([key, value]) => key in settingDeclarations && value !== '')
  return { ...Object.fromEntries(own), settings: Object.fromEntries(settings) }
}

/** A hub's domain name, with its certificate and its zone in Route 53. */
export interface HubDomain {
  readonly domainName: string
  readonly certificateArn: string
  readonly hostedZoneId: string | undefined
}

/** The hub's domain name; undefined unless both the name and its certificate are set. */
export const domainIn = ({ domainName, certificateArn, hostedZoneId }: HubContext): HubDomain | undefined =>
  domainName && certificateArn ? { domainName, certificateArn, hostedZoneId } : undefined

const missingDomainSetting = ({
  domainName,
  certificateArn,
  hostedZoneId,
}: Pick<HubContext, keyof HubDomain>): string | undefined => {
  if (domainName && !certificateArn) return 'certificateArn is missing: CloudFront needs it to serve domainName'
  if (!domainName && certificateArn) return 'domainName is missing: certificateArn has no effect without it'
  return !domainName && hostedZoneId ? 'domainName is missing: hostedZoneId has no effect without it' : undefined
}

const missingAuditSetting = ({
  auditLog,
  auditPolicy,
}: Pick<HubContext, 'auditLog' | 'auditPolicy'>): string | undefined =>
  auditPolicy && auditLog === undefined ? 'auditLog is missing: auditPolicy has no effect without it' : undefined

/** Whether a key is CDK's own: a feature flag, a value that was looked up in the account, or an option of its CLI. */
const isOfCdk = (key: string): boolean =>
  /[@:/]/.test(key) || ['acknowledged-issue-numbers', 'cli-telemetry'].includes(key)
