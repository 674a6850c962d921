import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { embeddedPlatform } from '../../lib/adapters/embedded/embedded-platform.ts'
import { createApiServer } from '../../lib/apiserver/api-server.ts'
import { admin, bearerToken } from '../../lib/apiserver/bearer-token.ts'
import { kubeconfig } from '../../lib/apiserver/kubeconfig.ts'
import { listen } from '../../lib/apiserver/listen.ts'
import { servingIdentity } from '../../lib/apiserver/serving-identity.ts'
import { accessControl } from '../../lib/authorize/access-control.ts'
import type { TendedHub } from '../../lib/hub/create-hub.ts'
import { createHub } from '../../lib/hub/create-hub.ts'
import { builtInKinds, kindRegistry } from '../../lib/kinds/all.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

export interface ServedHub {
  readonly hub: TendedHub
  /** Path of a kubeconfig for it. */
  readonly kubeconfig: string
}

/** A hub that listens on loopback with TLS, on the embedded platform; it goes with the test. */
export const servedHub = async (): Promise<ServedHub> => {
  const dir = disposableDir()
  const platform = await embeddedPlatform(dir.path)
  const registry = kindRegistry(builtInKinds)
  const kinds = () => registry
  const hub = createHub({
    ...platform,
    kinds,
    isReconciled: ({ kind }) => kind === 'Kustomization',
    onChange: (ref, _, after) => access.notice(ref, after),
  })
  const onError = (error: unknown) => {
    throw error
  }
  const access = accessControl({ hub, clock: platform.clock, onError }, Number.POSITIVE_INFINITY)
  await hub.prepare()
  await access.prepare()
  const identity = await servingIdentity(dir.path, platform)
  const listener = await listen({
    handle: createApiServer({
      hub,
      kinds,
      clock: platform.clock,
      authenticate: bearerToken(identity.token, admin),
      authorizer: access.authorizer,
    }),
    certificate: identity.server,
    port: 0,
  })
  const file = join(dir.path, 'kubeconfig')
  writeFileSync(file, kubeconfig({ server: listener.url, authority: identity.authority, token: identity.token }), {
    mode: 0o600,
  })
  endWithTest({
    async [Symbol.asyncDispose]() {
      await listener.close()
      await access.settled()
      await hub.settled()
      await platform.close()
      await dir[Symbol.asyncDispose]()
    },
  })
  return { hub, kubeconfig: file }
}
