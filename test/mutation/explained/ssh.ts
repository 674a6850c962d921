import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('foundations/ssh')

export const explained: readonly Explanation[] = [
  because('any text that does not begin as a key file does is as good')(
    'private-key-file.ts',
    "const bytes = Buffer.from(armor.exec(pem)?.[1] ?? '', 'base64')",
    `'' → "Stryker was here!"`,
  ),
]
