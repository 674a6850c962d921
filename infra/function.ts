import { type Duration, RemovalPolicy, Size, Validations } from 'aws-cdk-lib'
import type { IVpc } from 'aws-cdk-lib/aws-ec2'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  LayerVersion,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { allow } from './allow.ts'
import type { HubContext } from './context.ts'

/** A folder with `index.mjs`, which exports `handler`. */
export type CodeOf = (name: string) => Code

export interface FunctionPlan {
  readonly name: string
  readonly description: string
  readonly timeout: Duration
  readonly memoryMb: number
  readonly diskMb?: number
  readonly vpc?: IVpc
  readonly layerArn?: string
  /** So many at a time at most, set aside for it. */
  readonly concurrency?: number
  /** What it sends may lead back to it, more often than the 16 times after which Lambda takes that for a loop and stops it. */
  readonly isRecursive?: boolean
}

/**
 * One Lambda with a role and a log of its own. The role may write that log and nothing else: what more a function may do is
 * said in `permissions.ts`.
 */
export const lambdaFunction = (
  scope: Construct,
  { hubName, architecture, tracing }: HubContext,
  plan: FunctionPlan,
  environment: Readonly<Record<string, string>>,
  codeOf: CodeOf,
): LambdaFunction => {
  const within = new Construct(scope, plan.name)
  const logGroup = new LogGroup(within, 'Log', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  })
  const role = new Role(within, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    description: `What the function ${plan.name} of the Keelson hub ${hubName} may do`,
  })
  logGroup.grantWrite(role)
  if (plan.vpc) allowNetworkInterfaces(role)
  const made = new LambdaFunction(within, 'Function', {
    functionName: `${hubName}-${plan.name}`,
    description: plan.description,
    runtime: Runtime.NODEJS_24_X,
    architecture: architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
    handler: 'index.handler',
    code: codeOf(plan.name),
    role,
    timeout: plan.timeout,
    memorySize: plan.memoryMb,
    ...(plan.diskMb && { ephemeralStorageSize: Size.mebibytes(plan.diskMb) }),
    reservedConcurrentExecutions: plan.concurrency,
    environment: { ...environment },
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    // Without the two lines that tell of each invocation that nothing was wrong with it: metrics tell the same.
    systemLogLevelV2: SystemLogLevel.WARN,
    ...(plan.isRecursive && { recursiveLoop: RecursiveLoop.ALLOW }),
    tracing: tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    ...(plan.vpc && { vpc: plan.vpc, allowAllOutbound: true }),
    ...(plan.layerArn && { layers: [LayerVersion.fromLayerVersionArn(within, 'Layer', plan.layerArn)] }),
  })
  if (tracing)
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray has no resources to name: traces are put to the account.',
    })
  return made
}

/** As Lambda needs it to put a function into a VPC. */
const allowNetworkInterfaces = (role: Role): void => {
  const actions = ['CreateNetworkInterface', 'DescribeNetworkInterfaces', 'DescribeSubnets', 'DeleteNetworkInterface']
  const addresses = ['AssignPrivateIpAddresses', 'UnassignPrivateIpAddresses']
  allow(role, {
    service: 'ec2',
    actions: [...actions, ...addresses],
    resources: ['*'],
    wildcard: 'Lambda makes the network interfaces of a function as its role; they have no names beforehand.',
  })
}
