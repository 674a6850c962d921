import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { sourceIgnores } from '../../sources/artifact/archive.ts'
import { isSourceName, listName, listOf, signatureName } from '../../sources/verify/signed-tree.ts'
import { CommandFailed } from '../command-failed.ts'
import { readLocalTree } from '../local-tree.ts'
import { readSigner } from '../private-key.ts'
import type { Terminal } from '../terminal.ts'

const examples = `
Examples:
  # A key of one's own, and its public half for keelson runner --verify-key
  openssl genpkey -algorithm ed25519 -out author.key
  openssl pkey -in author.key -pubout -out author.pub

  # Before a commit: runners that demand it apply nothing else
  keelson sign . --name shop --key author.key && git add ${listName} ${signatureName}

  # With a key that is kept by cosign: the list is the same
  keelson sign . --name shop && cosign sign-blob --key cosign.key --tlog-upload=false ${listName} > ${signatureName}
`

/** `keelson sign`: lists the files of a source, and signs the list. */
export const signCommand = (terminal: Terminal): Command =>
  new Command('sign')
    .summary('sign the files of a source for runners that demand it')
    .description(
      `Writes ${listName} into the root of a source, with the digests of all files that are not ignored, and ${signatureName} with its signature.`,
    )
    .argument('<path>', 'root of the source')
    .requiredOption('--name <name>', 'what you call the source: runners refuse an older revision of the same name')
    .option('--key <file>', 'private key in PEM: Ed25519, ECDSA P-256 or RSA (default: only write the list)')
    .addHelpText('after', examples)
    .action(async (path: string, { key, name }: { readonly key?: string; readonly name: string }) => {
      if (!isSourceName(name)) throw new CommandFailed('--name may have letters, digits, and the characters . _ - /')
      const all = await readLocalTree(path, { input: process.stdin, followsLinks: false })
      const ignores = sourceIgnores(all)
      const tree = new Map([...all].filter(([file]) => !ignores(file.split('/'), false)))
      const list = listOf(tree, { name, signedAt: Date.now() })
      const signature = key && readSigner(key).sign(Buffer.from(list))
      writeFileSync(join(path, listName), list)
      if (signature) writeFileSync(join(path, signatureName), `${Buffer.from(signature).toString('base64')}\n`)
      terminal.success(`${key ? 'signed' : 'listed'} ${tree.size} files in ${listName}`)
    })
