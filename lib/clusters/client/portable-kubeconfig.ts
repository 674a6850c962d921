import type { EksLogin } from './exec-login.ts'
import { type KubeconfigOptions, parseKubeconfig } from './kubeconfig.ts'

export interface PortableKubeconfig {
  /** A kubeconfig with one context and no references to files. Contains secrets. */
  readonly text: string
  readonly server: string
  /** Settings of the original that are ignored. */
  readonly warnings: readonly string[]
}

/**
 * One context of a kubeconfig as a self-contained kubeconfig, with the files it names embedded: the content of a Secret for
 * `spec.kubeConfig` (like `kubectl config view --minify --flatten`). Fails with a KubeconfigError.
 */
export const portableKubeconfig = (text: string, options: KubeconfigOptions): PortableKubeconfig => {
  const access = parseKubeconfig(text, options)
  const cluster = {
    server: access.server,
    'certificate-authority-data': base64(access.certificateAuthority),
    'tls-server-name': access.tlsServerName,
    'insecure-skip-tls-verify': access.insecureSkipTlsVerify || undefined,
    'proxy-url': access.proxyUrl,
  }
  const user = {
    'client-certificate-data': base64(access.clientCertificate),
    'client-key-data': base64(access.clientKey),
    token: access.token,
    exec: access.eks && execOf(access.eks),
    ...access.basicAuth,
    as: access.impersonate?.user,
    'as-groups': access.impersonate?.groups,
    'as-uid': access.impersonate?.uid,
    'as-user-extra': access.impersonate?.extra,
  }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'target',
    clusters: [{ name: 'target', cluster }],
    users: [{ name: 'target', user }],
    contexts: [{ name: 'target', context: { cluster: 'target', user: 'target' } }],
  }
  return { text: `${JSON.stringify(config, null, 2)}\n`, server: access.server, warnings: access.warnings }
}

/** As `aws eks update-kubeconfig` writes it. */
const execOf = ({ clusterName, region, roleArn, ...more }: EksLogin) => {
  const options = { '--cluster-name': clusterName, '--region': region, '--role-arn': roleArn }
  if (more.externalId || more.sessionName)
    return {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'aws-iam-authenticator',
      args: argsOf(['token'], {
        '--cluster-id': clusterName,
        '--region': region,
        '--role': roleArn,
        '--external-id': more.externalId,
        '--session-name': more.sessionName,
      }),
    }
  return {
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    command: 'aws',
    args: argsOf(['eks', 'get-token'], options),
  }
}

const argsOf = (words: readonly string[], options: Readonly<Record<string, string | undefined>>): string[] => [
  ...words,
  ...Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
]

const base64 = (pem: string | undefined): string | undefined => pem && Buffer.from(pem).toString('base64')
