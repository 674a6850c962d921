import { binary } from './binary.ts'
import { dotenv } from './dotenv.ts'
import type { Format, FormatName } from './format.ts'
import { ini } from './ini.ts'
import { json } from './json.ts'
import { yaml } from './yaml.ts'

export const formats: Readonly<Record<FormatName, Format>> = { yaml, json, dotenv, ini, binary }

/** The format for a file name, as in kustomize-controller: binary unless the extension is known (KS-255, KS-256). */
export const formatOfPath = (path: string): FormatName => {
  if (/\.ya?ml$/.test(path)) return 'yaml'
  if (/\.(json|dockerconfigjson)$/.test(path)) return 'json'
  if (path.endsWith('.env')) return 'dotenv'
  return path.endsWith('.ini') ? 'ini' : 'binary'
}

/** Text that every encrypted document of a format contains, and that hardly appears elsewhere. A binary one is a JSON document. */
const markers: Readonly<Record<FormatName, string>> = {
  binary: '"mac": "ENC[',
  dotenv: 'sops_mac=ENC[',
  ini: '[sops]',
  json: '"mac": "ENC[',
  yaml: 'mac: ENC[',
}

/** Whether a file looks like one that sops encrypted in this format. */
export const isEncrypted = (content: Uint8Array, format: FormatName): boolean =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength).includes(markers[format])

/** The format of an encrypted document, guessed from its content; undefined if it does not look encrypted. */
export const encryptedFormatOf = (content: Uint8Array): FormatName | undefined =>
  (['json', 'dotenv', 'ini', 'yaml'] as const).find(format => isEncrypted(content, format))
