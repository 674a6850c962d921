import { assumeRole } from '../../platform/cloud/aws/assume-role.ts'
import type { AwsCredentials } from '../../platform/cloud/aws/credentials.ts'
import { type EksToken, eksToken } from '../../platform/cloud/aws/eks-token.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import { signRequest } from '../../platform/cloud/aws/sign-request.ts'
import { sendRequest } from '../../platform/cloud/send-request.ts'
import { connections } from '../../platform/http/connections.ts'
import { guardedFetch } from '../../platform/http/guarded-fetch.ts'

export interface AwsOperatorOptions {
  readonly region: string
  /** A profile in ~/.aws/config; absent = the environment's. */
  readonly profile?: string
  /** Acts as this role. */
  readonly roleArn?: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** AWS access for the user of the command line. Errors say what to do. */
export interface AwsOperator {
  credentials(): Promise<AwsCredentials>
  /** A token for kubectl that authenticates the user to the hub. */
  token(hubName: string): Promise<EksToken>
  /** An output of a CloudFormation stack; undefined if the stack has none of this name. */
  stackOutput(stackName: string, output: string): Promise<string | undefined>
}

/** Finds credentials like every AWS tool: environment, profiles, SSO, credential processes, metadata service. */
export const awsOperator = (options: AwsOperatorOptions): AwsOperator => {
  const { region, environment } = options
  const cloud = { fetch: guardedFetch(connections()), clock: { now: () => Date.now() } }
  const sts = endpointOf('sts', region, environment)

  const credentials = async (): Promise<AwsCredentials> => {
    const own = await machineCredentials(options)
    const { roleArn } = options
    if (!roleArn) return own
    return assumeRole(cloud, { endpoint: sts, region, roleArn, sessionName: 'keelson', credentials: own })
  }

  return {
    credentials,

    token: async clusterName => {
      const scope = { clusterName, region, endpoint: sts, now: cloud.clock.now() }
      return eksToken(await credentials(), scope)
    },

    stackOutput: async (stackName, output) => {
      const url = `${endpointOf('cloudformation', region, environment)}/`
      const form = { Action: 'DescribeStacks', Version: '2010-05-15', StackName: stackName }
      const body = new URLSearchParams(form).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
      const request = { method: 'POST' as const, url, headers: type, body }
      const scope = { service: 'cloudformation', region, now: cloud.clock.now() }
      const { host: _, ...headers } = await signRequest(request, await credentials(), scope)
      const what = `the stack ${stackName} in ${region}`
      const { status, text } = await sendRequest(cloud.fetch, { ...request, headers, service: 'AWS', what })
      if (status === 200) return outputIn(text, output)
      throw new Error(`${what} can't be read: ${element(text, 'Message') ?? `CloudFormation responded ${status}`}`)
    },
  }
}

/** The AWS SDK finds a user's credentials in all places; loaded only for this. */
const machineCredentials = async ({ region, profile }: AwsOperatorOptions): Promise<AwsCredentials> => {
  const { STSClient } = await import('@aws-sdk/client-sts')
  const { accessKeyId, secretAccessKey, sessionToken } = await new STSClient({ region, profile }).config.credentials()
  return { accessKeyId, secretAccessKey, sessionToken }
}

const outputIn = (xml: string, name: string): string | undefined => {
  const outputs = xml.split('<Outputs>')[1] ?? ''
  const member = outputs.split('</member>').find(text => element(text, 'OutputKey') === name)
  return member && element(member, 'OutputValue')
}

/** Text of the first element with this name, in XML without attributes. */
const element = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replaceAll('&amp;', '&')
