import type { ServiceAccountTokens } from '../hub/apiserver/identity/service-account-tokens.ts'
import type { AccountIdentityPorts } from '../platform/cloud/account-identities.ts'

const tokenSeconds = 600

/** Lets ServiceAccounts authenticate to clouds with tokens of this hub, if clouds can reach the issuer. */
export const withAccountTokens = <Ports extends Pick<AccountIdentityPorts, 'issueToken'>>(
  ports: Ports | undefined,
  tokens: Pick<ServiceAccountTokens, 'issue'> | undefined,
  { tokenIssuer }: { readonly tokenIssuer?: string | undefined },
): Ports | undefined => {
  if (!ports || !tokens || !tokenIssuer) return ports
  return {
    ...ports,
    issueToken: async (account, audience) =>
      (await tokens.issue({ ...account, audiences: [audience], seconds: tokenSeconds })).token,
  }
}
