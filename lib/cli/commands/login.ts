import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { loginFetch } from '../../compose/login-fetch.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { withOneLineErrors } from '../aws-options.ts'
import { execCredential } from '../exec-credential.ts'
import { login } from '../login/login.ts'
import { tokenCache } from '../login/token-cache.ts'
import { expiryOf } from '../login/tokens.ts'
import { duration, portNumber } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'

interface Options {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecretFile?: string
  readonly scope: readonly string[]
  readonly device: boolean
  readonly browser: boolean
  readonly listenPort: number
  readonly certificateAuthority?: string
  readonly force: boolean
  readonly timeout: number
}

const examples = `
Examples:
  # Log in with your browser
  keelson login --issuer https://login.example.com --client-id keelson

  # Log in on a machine without a browser, with one elsewhere
  keelson login --issuer https://login.example.com --client-id keelson --device

keelson kubeconfig --oidc writes a kubeconfig with which kubectl runs this by itself.
`

const collect = (value: string, list: readonly string[]): readonly string[] => [...list, value]
const defaultTimeoutMs = 5 * 60_000

/** `keelson login`: an exec plugin of kubectl that logs people in with OpenID Connect. */
export const loginCommand = (
  env: NodeJS.ProcessEnv,
  output: NodeJS.WritableStream & { readonly isTTY?: boolean },
  terminal: Terminal,
): Command =>
  new Command('login')
    .summary('log in to a hub with OpenID Connect')
    .description(
      'Logs you in at an OpenID Connect issuer that the hub trusts, and prints the token as kubectl expects it from a plugin (ExecCredential), unless on a terminal. The token is kept in your cache folder, and refreshed without you as long as the issuer allows it.',
    )
    .requiredOption('--issuer <url>', "the issuer's URL, as in the hub's authentication configuration")
    .requiredOption('--client-id <id>', 'the client that you log in as: an audience of that configuration')
    .option('--client-secret-file <file>', 'file with the secret of the client, if it has one')
    .option(
      '--scope <name>',
      'a scope to request; may be repeated (default: what the issuer offers of email, profile, groups, offline_access)',
      collect,
      [],
    )
    .option('--device', 'log in by a code, with a browser on any machine', false)
    .option('--no-browser', 'print the address instead of opening a browser')
    .option(
      '--listen-port <number>',
      'port of 127.0.0.1 that the browser comes back to; 0 selects a free one',
      portNumber,
      0,
    )
    .option('--certificate-authority <file>', "trust this authority (PEM) in addition to the system's")
    .option('--force', 'log in even if there is a valid token', false)
    .addOption(
      new Option('--timeout <duration>', 'time limit of the login')
        .argParser(duration)
        .default(defaultTimeoutMs, formatDuration(defaultTimeoutMs)),
    )
    .addHelpText('after', examples)
    .action((options: Options) => withOneLineErrors('no login', () => run(options, env, output, terminal)))

const run = async (
  { clientSecretFile, scope: scopes, certificateAuthority, ...options }: Options,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WritableStream & { readonly isTTY?: boolean },
  terminal: Terminal,
): Promise<void> => {
  const clientSecret = clientSecretFile && readFileSync(clientSecretFile, 'utf8').trim()
  const fetch = loginFetch(env, certificateAuthority && readFileSync(certificateAuthority, 'utf8'))
  const cache = tokenCache({ issuer: options.issuer, clientId: options.clientId, scopes }, env)
  try {
    const tokens = await login({ ...options, scopes, clientSecret }, { fetch, cache, terminal })
    const expiresAt = expiryOf(tokens)
    if (output.isTTY) terminal.success(`logged in at ${options.issuer} until ${new Date(expiresAt).toLocaleString()}`)
    else output.write(execCredential(tokens.idToken, expiresAt, env))
  } finally {
    await fetch.close()
  }
}
