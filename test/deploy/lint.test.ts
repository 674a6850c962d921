import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { App, Validations } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { AwsSolutionsChecks } from 'cdk-nag'
import { allow } from '../../infra/allow.ts'
import { readContext } from '../../infra/context.ts'
import { HubStack } from '../../infra/hub-stack.ts'
import { tempDir } from '../bed/temp-dir.ts'

const root = join(import.meta.dirname, '../..')
const { context: flags } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: object }
const env = { account: '111122223333', region: 'eu-west-1' }

const everything = {
  admins: 'arn:aws:iam::111122223333:role/ops',
  rootSource: 'https://github.com/acme/fleet//hub?ref=main',
  alarmEmail: 'ops@acme.example',
  assumeRoles: 'arn:aws:iam::444455556666:role/keelson',
  sopsKeys: 'arn:aws:kms:eu-west-1:111122223333:key/11111111-2222-3333-4444-555555555555',
  sourceBuckets: 'acme-manifests,acme-charts',
  pluginLayerArn: 'arn:aws:lambda:eu-west-1:111122223333:layer:plugins:3',
  tracing: 'true',
  auditLog: '365',
  domainName: 'hub.acme.example',
  certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/11111111-2222-3333-4444-555555555555',
  hostedZoneId: 'Z0123456789ABCDEFGHIJ',
  vpcId: 'vpc-0123456789abcdef0',
}

/** What `cdk synth` keeps in cdk.context.json once it has looked a VPC up. */
const vpc = {
  [`vpc-provider:account=${env.account}:filter.vpc-id=${everything.vpcId}:region=${env.region}:returnAsymmetricSubnets=true`]:
    {
      vpcId: everything.vpcId,
      vpcCidrBlock: '10.0.0.0/16',
      ownerAccountId: env.account,
      availabilityZones: [],
      subnetGroups: [
        {
          name: 'Private',
          type: 'Private',
          subnets: ['a', 'b'].map(zone => ({
            subnetId: `subnet-0123456789abcdef${zone}`,
            cidr: '10.0.0.0/24',
            availabilityZone: `${env.region}${zone}`,
            routeTableId: `rtb-0123456789abcdef${zone}`,
          })),
        },
      ],
    },
}

const isFull = ({ vpcId }: Record<string, unknown>): boolean => vpcId !== undefined

/** As infra/app.ts puts it together. Fails with what the lint finds. */
function synthesize(context: Record<string, unknown>, more: (stack: HubStack) => void = () => {}): void {
  // CDK's own checks of the template take longer than all else; they run with each deployment: hub-on-aws.test.ts
  const app = new App({
    context: { ...flags, ...context },
    outdir: tempDir(),
    builtinCloudFormationValidation: isFull(context),
  })
  const stack = new HubStack(app, {
    context: readContext(app.node.getAllContext()),
    codeOf: () => Code.fromInline('export const handler = 0'),
    env,
  })
  more(stack)
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  app.synth()
}

test('passes the lint of AWS Solutions by default', () => {
  synthesize({})
})

test('passes it with all that can be switched on', () => {
  synthesize({ ...everything, ...vpc })
})

test('passes it when the data is to go with the stack', () => {
  synthesize({ removeData: 'true' })
})

test('does not pass it with a wildcard that nobody has explained', () => {
  const widen = (stack: HubStack) => {
    const role = stack.node.findChild('Functions').node.findChild('api').node.findChild('Role') as Role
    allow(role, { service: 's3', actions: ['GetObject'], resources: ['*'] })
  }
  assert.throws(() => synthesize({}, widen), /[Vv]alidation failed/)
})
