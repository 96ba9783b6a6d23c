import { form } from '../../forms/forms.examples.js';

export const newRespondent = { form_uuid: form.uuid };

export const token = {
  token: 'ftr_hT0k8rJ3uZ1qv9yXcW5nB7mA2sD4fG6eL8pO0iUtRwQ',
  expires_at: '2026-12-25T09:14:03.118204Z',
};

export const resumeCode = {
  code: '7QX2MK-4TBZC-9H0FD-VN3WR-6J8PE',
  expires_at: '2026-12-02T09:20:41.551870Z',
};

export const challenge = {
  algorithm: 'SHA-256',
  challenge: '63ecabb0b1b3abe5a2a7dd0ab2f7f5c4f2e9cb1b8f3a50c1d9e1f9b2f0f2b4aa',
  maxnumber: 50_000,
  salt: '4c8d1f2a9b7e6350d1c4f8a2?form=3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314&expires=1796000643&',
  signature: 'b1f0c3d2a4e5968778695a4b3c2d1e0f00112233445566778899aabbccddeeff',
};
