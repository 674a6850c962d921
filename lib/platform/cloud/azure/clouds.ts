/** Addresses and domains of one of Microsoft's clouds. */
export interface AzureCloud {
  /** Authenticates identities; without a trailing slash. */
  readonly authorityHost: string
  /** Audience of tokens for the resource manager. */
  readonly resourceManager: string
  /** Domain of key vaults; the audience of their tokens is `https://<suffix>`. */
  readonly vaultSuffix: string
  readonly registrySuffix: string
  readonly storageSuffix: string
  /** Domain of Event Hubs namespaces. */
  readonly serviceBusSuffix: string
}

/** Azure DevOps' application ID in Entra, in the public cloud only. */
export const azureDevOpsResource = '499b84ac-1321-427f-aa17-267ca6975798'

export type AzureCloudName = 'public' | 'usgovernment' | 'china'

export const azureClouds: Readonly<Record<AzureCloudName, AzureCloud>> = {
  public: {
    authorityHost: 'https://login.microsoftonline.com',
    resourceManager: 'https://management.azure.com',
    vaultSuffix: 'vault.azure.net',
    registrySuffix: 'azurecr.io',
    storageSuffix: 'blob.core.windows.net',
    serviceBusSuffix: 'servicebus.windows.net',
  },
  usgovernment: {
    authorityHost: 'https://login.microsoftonline.us',
    resourceManager: 'https://management.usgovcloudapi.net',
    vaultSuffix: 'vault.usgovcloudapi.net',
    registrySuffix: 'azurecr.us',
    storageSuffix: 'blob.core.usgovcloudapi.net',
    serviceBusSuffix: 'servicebus.usgovcloudapi.net',
  },
  china: {
    authorityHost: 'https://login.chinacloudapi.cn',
    resourceManager: 'https://management.chinacloudapi.cn',
    vaultSuffix: 'vault.azure.cn',
    registrySuffix: 'azurecr.cn',
    storageSuffix: 'blob.core.chinacloudapi.cn',
    serviceBusSuffix: 'servicebus.chinacloudapi.cn',
  },
}

/** The cloud with this authority host; by default the public one. */
export const azureCloudAt = (authorityHost: string | undefined): AzureCloud => {
  const host = authorityHost?.replace(/\/+$/, '')
  return Object.values(azureClouds).find(cloud => cloud.authorityHost === host) ?? azureClouds.public
}
