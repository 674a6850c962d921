import { Command } from 'commander'
import { CommandFailed } from '../command-failed.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { openBrowser } from '../login/browser-login.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends HubOptions {
  readonly browser: boolean
}

const examples = `
Examples:
  # Open the console in your browser, as the user of your kubeconfig
  keelson console

  # Print the address, to open it yourself: it logs in once, within ten minutes
  keelson console --no-browser
`

/** `keelson console`: a link that logs a browser in as the user of the kubeconfig. */
export const consoleCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream, terminal: Terminal): Command =>
  withHubOptions(
    new Command('console')
      .summary('open the console in a browser')
      .description('Opens the console of a hub in your browser, logged in as the user of your kubeconfig.'),
  )
    .option('--no-browser', 'only print the address')
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      const { url } = await withHub(options, env, async ({ cluster, signal }) => {
        const link = await cluster.document!('/console/link', { signal })
        const { url } = link as { readonly url?: string }
        return url === undefined ? {} : { url: new URL(url, cluster.server).href }
      })
      if (!url) throw new CommandFailed('this hub serves no console')
      if (options.browser) {
        terminal.action(`opening ${new URL(url).origin}`)
        openBrowser(url)
      } else output.write(`${url}\n`)
    })
