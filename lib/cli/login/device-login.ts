import * as oidc from 'openid-client'
import { CommandFailed } from '../command-failed.ts'
import type { Terminal } from '../terminal.ts'
import { type IssuerClient, inOneLine, tokensOf } from './issuer-client.ts'
import type { Tokens } from './tokens.ts'

export interface DeviceLogin {
  readonly issuer: string
  readonly signal: AbortSignal
}

/** Logs in with a browser on any machine, by a code that the person enters there (RFC 8628). Fails with a CommandFailed. */
export const deviceLogin = async (
  { configuration, scope }: IssuerClient,
  { issuer, signal }: DeviceLogin,
  terminal: Terminal,
): Promise<Tokens> => {
  if (!configuration.serverMetadata().device_authorization_endpoint)
    throw new CommandFailed(`${issuer} offers no login by code: log in without --device`)
  return inOneLine(issuer, async () => {
    const asked = await oidc.initiateDeviceAuthorization(configuration, { scope })
    const { verification_uri: address, verification_uri_complete: complete, user_code: code } = asked
    terminal.action(`open ${address} and enter the code ${code}${complete ? `, or open ${complete}` : ''}`)
    const answer = await oidc.pollDeviceAuthorizationGrant(configuration, asked, undefined, { signal })
    return tokensOf(issuer, answer)
  })
}
