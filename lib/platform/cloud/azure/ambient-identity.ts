import type { AmbientPorts } from '../cloud-ports.ts'
import { clientCertificateIdentity, clientSecretIdentity, federatedIdentity } from './entra-identity.ts'
import type { AzureIdentity } from './identity.ts'
import { managedIdentity } from './managed-identity.ts'

/**
 * The identity of this process, found as in Azure's SDKs: a client secret, certificate file or federated token file from the environment
 * (`AZURE_*`), otherwise the machine's managed identity.
 */
export const ambientAzureIdentity = (ports: AmbientPorts): AzureIdentity => {
  const { environment, readFile } = ports
  const { AZURE_TENANT_ID: tenantId, AZURE_CLIENT_ID: clientId, AZURE_AUTHORITY_HOST: authorityHost } = environment
  if (!tenantId || !clientId) return managedIdentity(ports, clientId || undefined)
  const client = { tenantId, clientId, authorityHost: authorityHost || undefined }

  const secret = environment.AZURE_CLIENT_SECRET
  if (secret) return clientSecretIdentity(ports, { ...client, secret })

  const certificateFile = environment.AZURE_CLIENT_CERTIFICATE_PATH
  if (certificateFile) {
    const sendChain = ['1', 'true'].includes(environment.AZURE_CLIENT_SEND_CERTIFICATE_CHAIN?.toLowerCase() ?? '')
    let identity: AzureIdentity | undefined
    return async request => {
      identity ??= clientCertificateIdentity(ports, {
        ...client,
        certificate: await readFile(certificateFile),
        sendChain,
      })
      return identity(request)
    }
  }

  const tokenFile = environment.AZURE_FEDERATED_TOKEN_FILE
  if (tokenFile) return federatedIdentity(ports, { ...client, token: async () => (await readFile(tokenFile)).trim() })
  return managedIdentity(ports, clientId)
}
