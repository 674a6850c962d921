import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import type { OpenPgp, OpenPgpRequest } from '../../platform/ports/open-pgp.ts'
import { type InvokedFunction, invokeFunction } from './invoke-function.ts'

/**
 * OpenPGP by a function of its own: the library is left out of those that seldom need it, and what it reads can reach nothing
 * from there. Fails with CloudError where the function does not answer.
 */
export const openPgpByFunction = (
  cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
  invoked: InvokedFunction,
): OpenPgp => {
  const invoke = invokeFunction(cloud, invoked, { what: 'OpenPGP', timeoutMs: 60_000 })
  const ask = (asked: OpenPgpRequest): Promise<string> => invoke(asked)

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
