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
    // The text itself is not shown: it may hold a password, which is one reason to refuse it.
    throw new InvalidValue('is of another form', rootSource.expected)
  },
  write: ({ url, path }) => `${url}//${path}`,
}

const arn = (pattern: RegExp, expected: string) => text('arn', pattern, expected)

/** What an operator chooses of a deployment, beside the settings of the hub. */
export const deploymentSettings = {
  hubName: setting(
    'names the stack, its functions and queues, and the hub in tokens. Choose another name than your EKS clusters have: a token is bound to the name',
    text('name', /^[a-z](?:[a-z0-9]|-(?=[a-z0-9])){0,29}$/, 'lower-case letters, digits and dashes, 30 at most'),
    'keelson',
  ),
  admins: setting(
    'IAM ARNs of roles and users who may do everything in the hub',
    listOf(
      arn(
        /^arn:aws[a-z-]*:(iam::\d{12}:(root|(role|user)\/[\w+=,.@/-]+)|sts::\d{12}:assumed-role\/[\w+=,.@-]+\/[\w+=,.@-]+)$/,
        'IAM ARNs as arn:aws:iam::111122223333:role/name or :user/name',
      ),
      'arns',
    ),
    [],
  ),
  rootSource: optionalSetting(
    `repository and folder that the hub fills itself from: \`${rootSourceForm}\`. It becomes the GitRepository and Kustomization \`root\` in \`keelson-system\`; \`secret\` is a Secret there with the credentials`,
    rootSource,
  ),
  domainName: optionalSetting(
    'name that the API and the webhooks get, as `hub.example.com`: it stays when the stack or the region is another. With `certificateArn`; see [addresses](#addresses)',
    text(
      'name',
      /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
      'the name of a host in lower-case letters, as hub.example.com',
    ),
  ),
  certificateArn: optionalSetting(
    'certificate for `domainName`, of AWS Certificate Manager in us-east-1, wherever the hub is: that is where CloudFront looks',
    arn(
      /^arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
      'the ARN of a certificate in us-east-1 as arn:aws:acm:us-east-1:111122223333:certificate/id',
    ),
  ),
  hostedZoneId: optionalSetting(
    'Route 53 zone that gets the records of `domainName`; without it you make them where your DNS is',
    text('id', /^Z[A-Z0-9]{1,31}$/, 'the id of a hosted zone as Z0123456789ABCDEFGHIJ'),
  ),
  vpcId: optionalSetting(
    'VPC through whose private subnets `source`, `build`, `apply`, `helmrelease`, `resourceset` and `helmcharts` go. They need a way out of it: a NAT gateway, or endpoints for DynamoDB, S3, SQS, KMS, STS, Secrets Manager and Lambda',
    text('id', /^vpc-[0-9a-f]{8,17}$/, 'the id of a VPC as vpc-0123456789abcdef0'),
  ),
  alarmEmail: optionalSetting(
    'who is told of alarms',
    text('address', /^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address'),
  ),
  assumeRoles: setting(
    'roles that may be taken to reach clusters, registries and keys of other accounts',
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
    "S3 buckets that Bucket sources read. What changes in those of the hub's region has them read at once, when the bucket sends its events to EventBridge ([events](#events-of-aws))",
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
    "functions at a time that a stage may take of the account's concurrency, as `source=40,apply=100`; other stages keep [what they have](#limits-and-how-they-are-met)",
    pairsOf(stages, wholeNumber(2, 1000)),
    {},
  ),
  urlConcurrency: setting(
    "functions at a time that each of the two public URLs may take, set aside for them, so that a flood of (refused) requests can't use up the account's concurrency. Lambda leaves the rest of an account 100 at least: with a quota below 200 the deployment fails, unless it is 0, which sets none aside (see [limits](#limits-and-how-they-are-met))",
    wholeNumber(0, 10_000),
    50,
  ),
  architecture: setting('or `x86_64`', oneOf(['arm64', 'x86_64']), 'arm64'),
  tracing: setting('X-Ray traces of all functions', onOff, false),
  restoredTable: optionalSetting(
    "table to work on in place of the stack's own: see [restore](#restore)",
    text('name', /^[\w.-]{3,255}$/, 'the name of a DynamoDB table'),
  ),
  multiRegionKey: setting(
    'whether other regions may get a replica of the master key, without which nothing that is sealed can be read there ([regions](regions.md)). KMS changes this of no key that is there: it is for the first deployment',
    onOff,
    false,
  ),
  masterKey: optionalSetting(
    "key to seal with in place of the stack's own, as a replica of another region's ([regions](regions.md))",
    arn(
      /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
      'a KMS key ARN as arn:aws:kms:eu-west-1:111122223333:key/id',
    ),
  ),
  removeData: setting('whether table, bucket and key go together with the stack', onOff, false),
}

/** What an operator chooses with `cdk deploy -c key=value`, or under `context` in cdk.json. */
export interface HubContext extends SettingValues<typeof deploymentSettings> {
  /** As they were given, by key: the functions read them as this did. */
  readonly settings: Readonly<Record<string, unknown>>
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
export const readContext = (context: Readonly<Record<string, unknown>>): HubContext => {
  const ours = Object.fromEntries(Object.entries(context).filter(([key]) => !isOfCdk(key)))
  const { values, faults } = parseSettings({ ...deploymentSettings, ...settingDeclarations }, ours)
  if (faults.length > 0) throw new ContextError(faults)
  const lacking = lackingOfDomain(values)
  if (lacking) throw new ContextError([lacking])
  const own = Object.keys(deploymentSettings).map(key => [key, values[key as keyof typeof values]])
  const settings = Object.entries(ours).filter(([key, value]) => key in settingDeclarations && value !== '')
  return { ...Object.fromEntries(own), settings: Object.fromEntries(settings) }
}

/** The name of a hub and what it takes; undefined where it has none. */
export interface HubDomain {
  readonly domainName: string
  readonly certificateArn: string
  readonly hostedZoneId: string | undefined
}

export const domainIn = ({ domainName, certificateArn, hostedZoneId }: HubContext): HubDomain | undefined =>
  domainName && certificateArn ? { domainName, certificateArn, hostedZoneId } : undefined

const lackingOfDomain = ({
  domainName,
  certificateArn,
  hostedZoneId,
}: Pick<HubContext, keyof HubDomain>): string | undefined => {
  if (domainName && !certificateArn) return 'certificateArn is missing: CloudFront serves domainName with it only'
  if (!domainName && certificateArn) return 'domainName is missing: it says what certificateArn is for'
  return !domainName && hostedZoneId ? 'domainName is missing: it says which records hostedZoneId gets' : undefined
}

/** What the CDK itself keeps in the context: flags, what it looked up in the account, and two words of its CLI. */
const isOfCdk = (key: string): boolean =>
  /[@:/]/.test(key) || ['acknowledged-issue-numbers', 'cli-telemetry'].includes(key)
