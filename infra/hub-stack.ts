import { Annotations, CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import { Vpc } from 'aws-cdk-lib/aws-ec2'
import type { Construct } from 'constructs'
import { stages } from '../lib/platform/ports/queue.ts'
import { alarms } from './alarms.ts'
import { artifactBucket } from './artifact-bucket.ts'
import { auditLogGroup } from './audit-log-group.ts'
import { domainIn, type HubContext } from './context.ts'
import { dashboard } from './dashboard.ts'
import { deploymentRule } from './deployment-rule.ts'
import { hubDomain } from './domain.ts'
import type { CodeOf } from './function.ts'
import { apiUrl, webhookUrl } from './function-urls.ts'
import { hubFunctions } from './functions.ts'
import { hubKey } from './hub-key.ts'
import { hubTable, restoredTable } from './hub-table.ts'
import { grantPermissions } from './permissions.ts'
import { stageQueues } from './queues.ts'
import { schedules } from './schedules.ts'
import { sourceRules } from './source-rules.ts'

export interface HubStackProps extends StackProps {
  readonly context: HubContext
  readonly codeOf: CodeOf
}

/** The stack of one hub: its storage, queues, functions, URLs, and alarms. */
export class HubStack extends Stack {
  constructor(scope: Construct, { context, codeOf, ...props }: HubStackProps) {
    const { hubName } = context
    super(scope, hubName, { stackName: hubName, description: `Keelson hub ${hubName}`, ...props })

    const removal = context.removeData ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN
    const key = hubKey(this, {
      ...{ hubName, removalPolicy: removal },
      ...{ isMultiRegion: context.multiRegionKey, arn: context.masterKey },
    })
    const { restoredTable: restored } = context
    const table = restored ? restoredTable(this, restored, key) : hubTable(this, key, removal)
    const bucket = artifactBucket(this, key, removal)
    const queues = stageQueues(this, hubName)

    const domain = domainIn(context)
    const own = domain && `https://${domain.domainName}`
    const environment = {
      KEELSON_HUB_NAME: hubName,
      KEELSON_TABLE: table.tableName,
      KEELSON_BUCKET: bucket.bucketName,
      KEELSON_KMS_KEY: key.keyArn,
      // A request that came by the hub's own domain name does not name it.
      KEELSON_SETTINGS: JSON.stringify({ ...(own && { consoleUrl: own }), ...context.settings }),
      ...Object.fromEntries(
        stages.map(stage => [`KEELSON_QUEUE_${stage.toUpperCase()}`, queues[stage].queue.queueUrl]),
      ),
    }
    const vpc = context.vpcId ? Vpc.fromLookup(this, 'Vpc', { vpcId: context.vpcId }) : undefined
    const auditLog =
      context.auditLog === undefined
        ? undefined
        : auditLogGroup(this, { hubName, key, days: context.auditLog, removalPolicy: removal })
    const functions = hubFunctions(this, { context, environment, queues, vpc, auditLog, codeOf })
    auditLog?.grantWrite(functions.apiserver)
    grantPermissions(functions, { table, bucket, key, queues }, context)

    schedules(this, hubName, functions)
    deploymentRule(this, hubName, functions.tick)
    if (context.admins.length === 0) warnOfNoAdmins(this)
    sourceRules(this, context, functions['source-event'])
    const watched = { table, key, queues, functions }
    dashboard(this, hubName, watched, alarms(this, hubName, watched, context.alarmEmail))

    const output = (id: string, value: string, description: string) => new CfnOutput(this, id, { value, description })
    const urls = { api: apiUrl(functions.api), webhook: webhookUrl(functions.webhook) }
    output('HubUrl', own ? `${own}/` : urls.api.url, "The hub's Kubernetes API")
    output('WebhookUrl', own ? `${own}/` : urls.webhook.url, "The prefix of a Receiver's status.webhookPath")
    if (domain) {
      const { distributionDomainName } = hubDomain(this, hubName, urls, domain)
      output('DomainTarget', distributionDomainName, `The alias target for ${domain.domainName} in your DNS`)
    }
    if (auditLog) output('AuditLogGroup', auditLog.logGroupName, 'The log group with requests to the API')
    output(
      'Kubeconfig',
      `npx keelson kubeconfig --hub ${hubName} --region ${this.region}`,
      'Adds the hub to your kubeconfig',
    )
  }
}

const warnOfNoAdmins = (stack: Stack): void =>
  Annotations.of(stack).addWarningV2(
    'keelson:noAdmins',
    'admins is empty: nobody has access to this hub, unless its root source creates an aws-auth ConfigMap and roles. ' +
      'Deploy with -c admins=ARN; `aws sts get-caller-identity` shows yours.',
  )
