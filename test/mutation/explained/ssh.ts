import type { Explanation } from '../explanation.ts'

export const explained: readonly Explanation[] = [
  {
    file: 'ssh/private-key-file.ts',
    line: "const bytes = Buffer.from(armor.exec(pem)?.[1] ?? '', 'base64')",
    change: `'' → "Stryker was here!"`,
    why: 'any text that does not begin as a key file does is as good',
  },
]
