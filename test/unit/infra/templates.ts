/** Templates of the stack, as CloudFormation gets them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { readContext } from '../../../infra/context.ts'
import { HubStack } from '../../../infra/hub-stack.ts'

const root = join(import.meta.dirname, '../../..')
const { context: flags } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: object }

/** The context of `full`. */
export const everything = {
  admins: 'arn:aws:iam::111122223333:role/ops',
  rootSource: 'https://github.com/acme/fleet//hub?ref=main',
  vpcId: 'vpc-0123456789abcdef0',
  alarmEmail: 'ops@acme.example',
  noCrossNamespaceRefs: 'true',
  defaultServiceAccount: 'deployer',
  assumeRoles: 'arn:aws:iam::444455556666:role/keelson',
  sopsKeys: 'arn:aws:kms:eu-west-1:111122223333:key/sops',
  sourceBuckets: 'acme-manifests',
  pluginGroups: 'team.example.com',
  pluginLayerArn: 'arn:aws:lambda:eu-west-1:111122223333:layer:plugins:3',
  tracing: 'true',
  domainName: 'hub.acme.example',
  certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/11111111-2222-3333-4444-555555555555',
  hostedZoneId: 'Z0123456789ABCDEFGHIJ',
  urlConcurrency: '30',
  authenticationConfig: 'authentication.yaml',
  auditLog: '365',
  auditPolicy: 'policy.yaml',
}

/** The stack of a hub with some context. `env` is its account and region. */
export const stackOf = (
  context: Record<string, string>,
  env?: { readonly account: string; readonly region: string },
) => {
  // CDK's own checks of the template run with every `cdk synth`: test/deploy
  const app = new App({ context: { ...flags, ...context }, builtinCloudFormationValidation: false })
  return new HubStack(app, {
    context: readContext(app.node.getAllContext()),
    codeOf: () => Code.fromInline('export const handler = 0'),
    env,
  })
}

export const templateOf = (context: Record<string, string>): Template =>
  Template.fromStack(stackOf(context, { account: '111122223333', region: 'eu-west-1' }))

/** Of a hub without any context, and of one with all of it. */
export const plain = templateOf({})
export const full = templateOf(everything)

/** The resources of a type. */
export const resourcesOf = (template: Template, type: string) => Object.values(template.findResources(type))

/** The properties of a function, by its name within the hub. */
export const functionIn = (template: Template, name: string) =>
  resourcesOf(template, 'AWS::Lambda::Function').find(
    ({ Properties }) => Properties.FunctionName === `keelson-${name}`,
  )!.Properties
