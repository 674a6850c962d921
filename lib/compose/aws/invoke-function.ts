import type { AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import { signRequest } from '../../platform/cloud/aws/sign-request.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import { requestJson } from '../../platform/cloud/send-request.ts'

export interface InvokedFunction {
  readonly functionName: string
  readonly region: string
  /** Who may invoke it. */
  readonly identity: AwsIdentity
}

/** How an invocation ended: with what was asked for, or with why not. */
export type FunctionAnswer = { readonly value: string } | { readonly error: string }

export interface Invocation {
  /** What errors call the work. */
  readonly what: string
  readonly timeoutMs: number
}

/**
 * Has another function of the hub do work. The promise fails with an Error that has the function's words when the work failed, with
 * CloudError when the function does not answer.
 */
export const invokeFunction =
  (
    cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
    { functionName, region, identity }: InvokedFunction,
    { what, timeoutMs }: Invocation,
  ) =>
  async (asked: object): Promise<string> => {
    const request = {
      method: 'POST' as const,
      url: `${endpointOf('lambda', region, cloud.environment)}/2015-03-31/functions/${functionName}/invocations`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    }
    const scope = { service: 'lambda', region, now: cloud.clock.now() }
    const { host: _, ...headers } = await signRequest(request, await identity(), scope)
    const { value, error } = await requestJson(cloud.fetch, { ...request, headers, service: 'AWS', what, timeoutMs })
    if (typeof value === 'string') return value
    if (typeof error === 'string') throw new Error(error)
    throw new CloudError('AWS', `${what}: the function ${functionName} failed: its log tells why`)
  }
