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

/** The deployment package of a function: a folder with `index.mjs`, which exports `handler`. */
export type CodeOf = (name: string) => Code

export interface FunctionPlan {
  readonly name: string
  readonly description: string
  readonly timeout: Duration
  readonly memoryMb: number
  readonly diskMb?: number
  readonly vpc?: IVpc
  readonly layerArn?: string
  /** Reserved concurrency. */
  readonly concurrency?: number
  /** Its messages may invoke it again more than 16 times in a row, which Lambda would stop as a recursive loop. */
  readonly isRecursive?: boolean
}

/**
 * A Lambda function with its own role and log group. The role may only write that log; `permissions.ts` adds the other
 * permissions.
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
    // Drops two lines for each successful invocation, which metrics count already.
    systemLogLevelV2: SystemLogLevel.WARN,
    ...(plan.isRecursive && { recursiveLoop: RecursiveLoop.ALLOW }),
    tracing: tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    ...(plan.vpc && { vpc: plan.vpc, allowAllOutbound: true }),
    ...(plan.layerArn && { layers: [LayerVersion.fromLayerVersionArn(within, 'Layer', plan.layerArn)] }),
  })
  if (tracing)
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: "X-Ray's actions have no resources: traces belong to the account.",
    })
  return made
}

/** The permissions that Lambda needs to attach a function to a VPC. */
const allowNetworkInterfaces = (role: Role): void => {
  const actions = ['CreateNetworkInterface', 'DescribeNetworkInterfaces', 'DescribeSubnets', 'DeleteNetworkInterface']
  const addresses = ['AssignPrivateIpAddresses', 'UnassignPrivateIpAddresses']
  allow(role, {
    service: 'ec2',
    actions: [...actions, ...addresses],
    resources: ['*'],
    wildcard: 'Lambda creates network interfaces with the role of the function; their IDs are not known at deployment.',
  })
}
