import type { KeyObject } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { type Run, run as runKind } from '../../foundations/kinds/run.ts'
import { validateSchema } from '../../foundations/kinds/schema/validate-schema.ts'
import { signedBytesOf } from '../../foundations/rules/dsse.ts'
import { canonicalRun, contentOf } from '../../foundations/rules/run-statement.ts'
import { keyIdOf, publicKeysIn, type Verification, verifyReceipt } from '../../foundations/rules/verify-receipt.ts'
import { CommandFailed } from '../command-failed.ts'
import { describeVerification } from '../describe-verification.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { isOf, readDocuments } from '../manifest-file.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'

interface Options extends HubOptions {
  readonly key: readonly string[]
  readonly filename?: string
  readonly write?: string
  readonly output: OutputForm
}

const examples = `
Examples:
  # Is this Run what the hub has signed?
  keelson verify kustomization-my-app-0mjk1q2w3 -n apps

  # Keep the hub's public keys elsewhere, and verify with those: then nobody can replace both
  kubectl get --raw /receipts/keys.pem > hub.pem
  keelson verify kustomization-my-app-0mjk1q2w3 -n apps --key hub.pem

  # Runs that were exported, without the hub
  kubectl get runs -n apps -o yaml > runs.yaml
  keelson verify -f runs.yaml --key hub.pem -o json

  # Files for cosign and openssl, see docs/receipts.md
  keelson verify kustomization-my-app-0mjk1q2w3 -n apps --write receipt

Exit codes: 0 all are verified, 1 the command failed, 2 a Run is not what was signed, 3 a Run has no receipt.
`

/** `keelson verify`: whether Runs are as the hub has signed them. */
export const verifyCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('verify')
      .summary('verify that Runs are as the hub signed them')
      .description(
        'Verifies the receipts of Runs: signed statements about the revision, the digests of source, manifests and plan, the approvers and the whole content.',
      )
      .argument('[runs...]', 'names of Runs'),
  )
    .option(
      '--key <file>',
      'public keys to trust, in PEM (default: those that the hub serves); may be repeated',
      (file: string, files: readonly string[]) => [...files, file],
      [] as readonly string[],
    )
    .option('-f, --filename <file>', 'verify the Runs in this file, YAML or JSON; - is standard input')
    .option('--write <folder>', 'write the content, the receipt and the key of a verified Run into this folder')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (names: readonly string[], options: Options) => {
      const { filename, write } = options
      if (names.length > 0 === (filename !== undefined)) throw new CommandFailed('name Runs, or a file with --filename')
      const given = options.key.length > 0 ? options.key.flatMap(keysOfFile) : undefined
      const read = async (hub?: HubAccess): Promise<readonly Verified[]> => {
        const runs = filename === undefined ? await runsNamed(hub!, names, options) : runsOfFile(filename)
        const keys = given ?? (await keysOfHub(hub!))
        return runs.map(run => ({ run, result: verifyReceipt(run, keys), keys }))
      }
      const found = filename !== undefined && given ? await read() : await withHub(options, env, read)
      if (write !== undefined) writeFor(write, found)
      output.write(
        asDocument(found.map(documentOf), options.output) ??
          found.map(({ run, result }) => describeVerification(run, result)).join('\n'),
      )
      process.exitCode = exitCodeOf(found.map(({ result }) => result))
    })

interface Verified {
  readonly run: Run
  readonly result: Verification
  readonly keys: readonly KeyObject[]
}

const exitCodeOf = (results: readonly Verification[]): number => {
  const failed = results.filter(result => !result.verified)
  if (failed.length === 0) return 0
  return failed.every(({ isUnsigned }) => isUnsigned) ? 3 : 2
}

const kind = runKind as unknown as Kind

const runsNamed = (
  { cluster, signal }: HubAccess,
  names: readonly string[],
  { namespace }: Options,
): Promise<readonly Run[]> =>
  Promise.all(
    names.map(async name => {
      const ref = { group: kind.group, kind: kind.kind, namespace, name }
      const found = (await cluster.get(apiVersionOf(kind), ref, { signal })) as Run | undefined
      if (!found) throw new CommandFailed(`run '${name}' not found in ${namespace}`)
      return found
    }),
  )

const runsOfFile = (file: string): readonly Run[] => {
  const documents = readDocuments(file).flatMap(document => {
    const { items } = document as { readonly items?: readonly unknown[] }
    return Array.isArray(items) ? items : [document]
  })
  if (documents.length === 0 || !documents.every(isOf(kind)))
    throw new CommandFailed(`${file}: has objects other than Runs`)
  const [error] = documents.flatMap(document => validateSchema(kind.versions[0]!.schema, document))
  if (error) throw new CommandFailed(`${file}: ${error.field}: ${error.message}`)
  return documents as unknown as readonly Run[]
}

const keysOfFile = (file: string): readonly KeyObject[] => {
  try {
    const keys = publicKeysIn(readFileSync(file, 'utf8'))
    if (keys.length > 0) return keys
  } catch (cause) {
    throw new CommandFailed(`--key ${file}: ${(cause as Error).message}`, { cause })
  }
  throw new CommandFailed(`--key ${file}: has no block PUBLIC KEY in PEM`)
}

const keysOfHub = async ({ cluster, signal }: HubAccess): Promise<readonly KeyObject[]> => {
  const { keys } = (await cluster.document!('/receipts/keys', { signal })) as {
    readonly keys: readonly { readonly publicKey: string }[]
  }
  return keys.flatMap(({ publicKey }) => publicKeysIn(publicKey))
}

const documentOf = ({ run: { metadata }, result }: Verified) => ({
  namespace: metadata.namespace,
  name: metadata.name,
  ...(result.verified
    ? { verified: true, keyId: result.keyId, statement: result.statement }
    : { verified: false, hasReceipt: !result.isUnsigned, reason: result.reason }),
})

/** The content as it was signed, the receipt as a Sigstore bundle, what its signature covers, and the key. */
const writeFor = (folder: string, found: readonly Verified[]): void => {
  const [one] = found
  if (!one?.result.verified || found.length > 1) throw new CommandFailed('--write needs one Run that can be verified')
  const { run, keys } = one
  const { keyId } = one.result
  const { payloadType, payload, signatures } = run.receipt!
  const bundle = {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: keyId } },
    // Without our key IDs: Go's DSSE library takes those for fingerprints of its own kind.
    dsseEnvelope: { payloadType, payload, signatures: signatures.map(({ sig }) => ({ sig })) },
  }
  const key = keys.find(key => keyIdOf(key) === keyId)!
  const files = {
    'run.json': canonicalRun(contentOf(run)),
    'receipt.sigstore.json': `${JSON.stringify(bundle)}\n`,
    'statement.dsse': signedBytesOf({ payloadType, payload: Buffer.from(payload, 'base64') }),
    'statement.sig': Buffer.from(signatures[0]!.sig, 'base64'),
    'hub.pem': key.export({ type: 'spki', format: 'pem' }),
  }
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
}
