const LINE = 70

/** Base64, broken into lines of 70 characters if longer, as kustomize writes binary data. */
export const encodeBase64 = (value: string | Uint8Array): string => {
  const text = Buffer.from(value as Uint8Array).toString('base64')
  if (text.length < LINE) return text
  let out = ''
  for (let i = 0; i < text.length; i += LINE) out += `${text.slice(i, i + LINE)}\n`
  return out
}
