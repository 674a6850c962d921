import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { composeConsole } from '../../lib/compose/console.ts'
import { composeCore } from '../../lib/compose/core.ts'
import { defaultSettings } from '../../lib/compose/settings/settings.ts'
import { byClientCertificate, unionAuthenticator } from '../../lib/hub/apiserver/authentication/authenticators.ts'
import { admin, bearerToken } from '../../lib/hub/apiserver/authentication/bearer-token.ts'
import { kubeconfig } from '../../lib/hub/apiserver/identity/kubeconfig.ts'
import { servingIdentity } from '../../lib/hub/apiserver/identity/serving-identity.ts'
import { listen } from '../../lib/hub/apiserver/wire/listen.ts'
import type { ManagedHub } from '../../lib/hub/store/create-hub.ts'
import { embeddedPlatform } from '../../lib/platform/adapters/embedded/embedded-platform.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { wires } from '../bed/wires.ts'

export interface ServedHub extends AsyncDisposable {
  readonly hub: ManagedHub
  /** Path of a kubeconfig for it. */
  readonly kubeconfig: string
  /** A new link into its console, as the administrator; undefined if that was not bundled. */
  loginUrl(): Promise<string | undefined>
}

const quiet = { info: () => {}, error: (message: string, fields?: object) => console.error(message, fields) }

/** A hub that listens on loopback with TLS, on the embedded platform, with nothing reconciled; it goes with the test. */
export const servedHub = async (): Promise<ServedHub> => endWithTest(await startServedHub())

/** The same, which the caller disposes of, for use outside of tests. */
export const startServedHub = async (): Promise<ServedHub> => {
  const dir = disposableDir()
  const platform = await embeddedPlatform(dir.path)
  const settings = {
    ...defaultSettings,
    artifactAddress: 'http://127.0.0.1:1',
    rolesMaxAgeMs: Number.POSITIVE_INFINITY,
  }
  const core = composeCore({ ...platform, log: quiet, connections: wires() }, settings)
  await core.hub.prepare()
  const identity = await servingIdentity(dir.path, platform)
  const handle = core.api(unionAuthenticator(byClientCertificate, bearerToken(identity.token, admin)))
  const console = composeConsole(platform, handle, identity.token)
  const consoleListener = await console?.listen({ port: 0, usual: 0 })
  const listener = await listen({
    handle,
    certificate: identity.server,
    clientAuthority: identity.authority,
    port: 0,
  })
  const file = join(dir.path, 'kubeconfig')
  writeFileSync(file, kubeconfig({ server: listener.url, authority: identity.authority, token: identity.token }), {
    mode: 0o600,
  })
  return {
    hub: core.hub,
    kubeconfig: file,
    loginUrl: async () => console?.loginUrl(),
    async [Symbol.asyncDispose]() {
      await listener.close()
      await consoleListener?.close()
      await core.hub.settled()
      await core.close()
      await platform.close()
      await dir[Symbol.asyncDispose]()
    },
  }
}
