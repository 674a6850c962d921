import type { AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import { signRequest } from '../../platform/cloud/aws/sign-request.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import { requestJson } from '../../platform/cloud/send-request.ts'

export interface InvokedFunction {
  readonly functionName: string
  readonly region: string
  /** An identity that may invoke it. */
  readonly identity: AwsIdentity
}

/** The response of a function: the result, or an error. */
export type FunctionResponse = { readonly value: string } | { readonly error: string }

export interface Invocation {
  /** The name of the work in errors. */
  readonly what: string
  readonly timeoutMs: number
}

/** Lambda's limit of a response. */
const maxResponseBytes = 6 * 1024 * 1024

/**
 * Invokes another function of the hub. Fails with an Error with the function's message if the work failed, and with CloudError if the function
 * does not respond. `signal` ends the wait for it, not its work.
 */
export const invokeFunction =
  (
    cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
    { functionName, region, identity }: InvokedFunction,
    { what, timeoutMs }: Invocation,
  ) =>
  async (event: object, signal?: AbortSignal): Promise<string> => {
    const request = {
      method: 'POST' as const,
      url: `${endpointOf('lambda', region, cloud.environment)}/2015-03-31/functions/${functionName}/invocations`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    }
    const scope = { service: 'lambda', region, now: cloud.clock.now() }
    const { host: _, ...headers } = await signRequest(request, await identity(), scope)
    const { value, error } = await requestJson(cloud.fetch, {
      ...{ ...request, headers, service: 'AWS', what, timeoutMs, maxBytes: maxResponseBytes },
      ...(signal && { signal }),
    })
    if (typeof value === 'string') return value
    if (typeof error === 'string') throw new Error(error)
    throw new CloudError('AWS', `${what}: the function ${functionName} failed: see its log`)
  }
