import { keyFields, textField } from './key-fields.ts'

/** The formats of `sops.azure-kv`. */
export type AzureCredentials =
  | (ServicePrincipal & { readonly type: 'secret'; readonly secret: string })
  | (ServicePrincipal & {
      readonly type: 'certificate'
      readonly certificate: string
      readonly password?: string | undefined
      readonly sendChain: boolean
    })
  | { readonly type: 'managed'; readonly clientId: string }

interface ServicePrincipal {
  readonly tenantId: string
  readonly clientId: string
  readonly authorityHost?: string
}

/**
 * Reads `sops.azure-kv`: a service principal with a secret or a certificate, the output of `az` for one, or the client
 * id of a managed identity; tried in Flux's order. Errors quote nothing from the entry.
 */
export const readAzureCredentials = (content: Buffer): AzureCredentials => {
  const fields = keyFields(decode(content))
  const text = (name: string): string | undefined => textField(fields, name)
  const authorityHost = text('authorityHost')
  const host = authorityHost === undefined ? {} : { authorityHost }

  const [tenantId, clientId] = [text('tenantId'), text('clientId')]
  const [clientSecret, certificate] = [text('clientSecret'), text('clientCertificate')]
  if (tenantId && clientId && clientSecret) return { type: 'secret', tenantId, clientId, secret: clientSecret, ...host }
  if (tenantId && clientId && certificate) {
    const password = text('clientCertificatePassword')
    const sendChain = fields.clientCertificateSendChain === true
    return { type: 'certificate', tenantId, clientId, certificate, password, sendChain, ...host }
  }
  const [tenant, appId, password] = [text('tenant'), text('appId'), text('password')]
  if (tenant && appId && password)
    return { type: 'secret', tenantId: tenant, clientId: appId, secret: password, ...host }
  if (clientId) return { type: 'managed', clientId }
  throw new Error(
    "invalid data: requires a 'clientId' field, a combination of 'tenantId', 'clientId' and 'clientSecret', or 'tenantId', 'clientId' and 'clientCertificate'",
  )
}

/** PowerShell writes UTF-16. */
const decode = (content: Buffer): string => {
  if (content[0] === 0xff && content[1] === 0xfe) return new TextDecoder('utf-16le').decode(content)
  if (content[0] === 0xfe && content[1] === 0xff) return new TextDecoder('utf-16be').decode(content)
  return new TextDecoder().decode(content)
}
