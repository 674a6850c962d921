import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import type { OpenPgp, OpenPgpRequest } from '../../platform/ports/open-pgp.ts'
import { type InvokedFunction, invokeFunction } from './invoke-function.ts'

/**
 * OpenPGP in a function of its own, without permissions: the others rarely need the library, and it parses untrusted input. Fails with
 * CloudError if the function does not respond.
 */
export const openPgpByFunction = (
  cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
  invoked: InvokedFunction,
): OpenPgp => {
  const invoke = invokeFunction(cloud, invoked, { what: 'OpenPGP', timeoutMs: 60_000 })
  const send = (request: OpenPgpRequest): Promise<string> => invoke(request)

  return {
    verify: (payload, signature, keyRings) =>
      send({ operation: 'verify', payload: Buffer.from(payload).toString('base64'), signature, keyRings }),
    sign: (payload, privateKey, passphrase = '') =>
      send({ operation: 'sign', payload: Buffer.from(payload).toString('base64'), privateKey, passphrase }),
    checkPrivateKeys: async armored => {
      await send({ operation: 'checkPrivateKeys', armored })
    },
    decrypt: async (armored, privateKeys) =>
      Buffer.from(await send({ operation: 'decrypt', armored, privateKeys }), 'base64'),
  }
}
