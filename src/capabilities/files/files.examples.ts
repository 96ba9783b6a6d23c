export const newFile = {
  field_code: 'cv',
  name: 'cv.pdf',
  size: 48_213,
  media_type: 'application/pdf',
  sha256: '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4',
};

export const file = {
  ...newFile,
  uuid: '01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66',
  value: 'file:01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66',
  entity_record_id: null,
  state: 'stored',
  is_ready: true,
  created_at: '2026-11-21T10:16:12.507311Z',
};

export const fileWithUpload = {
  ...file,
  state: 'pending',
  is_ready: false,
  upload: {
    method: 'PUT',
    url: `https://forms.example.org/api/v1/submissions/01a1fd98-0b1c-7e44-8f02-9d1c5b6a7e10/files/${file.uuid}/content`,
    headers: {},
    expires_at: '2026-11-21T10:31:12.000000Z',
  },
};
