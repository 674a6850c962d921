import type { AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import { signRequest } from '../../platform/cloud/aws/sign-request.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import { requestJson } from '../../platform/cloud/send-request.ts'
import type { OpenPgp, OpenPgpRequest } from '../../platform/ports/open-pgp.ts'

export interface OpenPgpFunction {
  readonly functionName: string
  readonly region: string
  /** Who may invoke it. */
  readonly identity: AwsIdentity
}

/**
 * OpenPGP by a function of its own: the library is left out of those that seldom need it, and what it reads can reach nothing
 * from there. Fails with CloudError where the function does not answer.
 */
export const openPgpByFunction = (
  cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
  { functionName, region, identity }: OpenPgpFunction,
): OpenPgp => {
  const url = `${endpointOf('lambda', region, cloud.environment)}/2015-03-31/functions/${functionName}/invocations`
  const what = 'OpenPGP'

  const ask = async (asked: OpenPgpRequest): Promise<string> => {
    const request = {
      method: 'POST' as const,
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    }
    const scope = { service: 'lambda', region, now: cloud.clock.now() }
    const { host: _, ...headers } = await signRequest(request, await identity(), scope)
    const { value, error } = await requestJson(cloud.fetch, {
      ...request,
      headers,
      service: 'AWS',
      what,
      timeoutMs: 60_000,
    })
    if (typeof value === 'string') return value
    if (typeof error === 'string') throw new Error(error)
    throw new CloudError('AWS', `${what}: the function ${functionName} failed: its log tells why`)
  }

  return {
    verify: (payload, signature, keyRings) =>
      ask({ operation: 'verify', payload: Buffer.from(payload).toString('base64'), signature, keyRings }),
    checkPrivateKeys: async armored => {
      await ask({ operation: 'checkPrivateKeys', armored })
    },
    decrypt: async (armored, privateKeys) =>
      Buffer.from(await ask({ operation: 'decrypt', armored, privateKeys }), 'base64'),
  }
}
